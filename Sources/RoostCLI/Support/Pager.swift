import Foundation
import Synchronization

/// Shows output that is longer than the screen in the user's pager.
enum Pager {
    /// The id of the pager process, while it runs; 0 otherwise.
    private static let process = Atomic<pid_t>(0)

    /// The options for `less` if `$LESS` is not set: exit if the output fits on the screen, show styles, and
    /// do not clear the screen.
    private static let lessOptions = "FRX"

    /// Returns the pager's command line: `$ROOST_PAGER`, `$PAGER`, or `less`; `nil` if the user wants none or
    /// the terminal cannot move its cursor.
    static func command(_ environment: [String: String]) -> String? {
        guard let terminal = environment["TERM"], !terminal.isEmpty, terminal != "dumb" else { return nil }
        let command = environment["ROOST_PAGER"] ?? environment["PAGER"] ?? "less"
        let trimmed = command.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty || trimmed == "cat" ? nil : trimmed
    }

    /// Sends the following output of this process to the pager if standard output is a terminal. Without a
    /// pager, the output goes to the terminal.
    static func start() {
        // The properties of the terminal are read before standard output becomes a pipe.
        let environment = ProcessInfo.processInfo.environment
        guard process.load(ordering: .relaxed) == 0, Terminal.isOutputTerminal, Terminal.columns != nil,
            isInstalled(environment), let command = command(environment)
        else { return }
        _ = (Terminal.showsUnicode, Terminal.bold(""))
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return }
        defer { for end in ends { close(end) } }
        // The pager must not inherit the end for writing; it would wait for more output forever.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Without LESSCHARSET, less shows the bytes of all letters outside of ASCII in the locale C.
        let settings = ["LESS": lessOptions, "LESSCHARSET": "utf-8", "LV": "-c"].merging(environment) { $1 }
        // The user's setting may contain options, so a shell splits it.
        let arguments = ["/bin/sh", "-c", "exec \(command)"]
        guard let id = ForegroundProcess.start(arguments, settings, input: ends[0]) else { return }
        dup2(ends[1], STDOUT_FILENO)
        process.store(id, ordering: .relaxed)
        // While the pager runs, Ctrl-C belongs to it.
        Interruption.isIgnored.store(true, ordering: .relaxed)
        atexit { Pager.finish() }
    }

    /// Returns whether the pager exists. If the user's setting is not a simple command, it is assumed to
    /// exist.
    private static func isInstalled(_ environment: [String: String]) -> Bool {
        guard let command = command(environment) else { return false }
        let program = command.prefix { $0 != " " }
        guard program.allSatisfy({ $0.isLetter || $0.isNumber || "-_./+".contains($0) }) else { return true }
        return ForegroundProcess.path(of: String(program), environment) != nil
    }

    /// Ends the output and waits until the user leaves the pager.
    private static func finish() {
        let id = process.exchange(0, ordering: .relaxed)
        guard id > 0 else { return }
        close(STDOUT_FILENO)
        _ = ForegroundProcess.status(of: id)
    }
}
