import Foundation
import Roost
import Synchronization

/// Lets the user choose an entry with the program `fzf` (https://github.com/junegunn/fzf).
struct FuzzyFinder {
    /// The path of the program.
    private let path: String
    private let environment: [String: String]

    /// Finds the program; `nil` if it is not installed.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let path = ForegroundProcess.path(of: "fzf", environment) else { return nil }
        (self.path, self.environment) = (path, environment)
    }

    /// Shows the items until one is chosen.
    ///
    /// - Parameter store: The folder of the store, from which the preview reads.
    /// - Returns: The chosen item; `nil` if the list was closed.
    /// - Throws: ``CommandError`` if the program fails.
    func choose(from items: [PickItem], in store: URL) throws -> PickItem? {
        // A pipe for the items could block this process while the program waits for the terminal, so they
        // are in a file without a name.
        let lines = items.map { "\($0.id.text)\t\($0.title)\t\($0.path)\t\($0.tags)\n" }.joined()
        let input = try Self.temporaryFile(Data(lines.utf8))
        defer { close(input) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.failure(String(cString: strerror(errno))) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        // fzf quotes the id. The other parts of the command line of the preview are variables.
        let arguments = [
            path, "--delimiter=\t", "--with-nth=2..", "--no-multi", "--tiebreak=index",
            "--preview-window=wrap", "--preview", "\"$ROOST_PICK_PROGRAM\" pick --preview {1}",
        ]
        let variables = environment.merging([
            "ROOST_STORE": store.path,
            "ROOST_PICK_PROGRAM": Bundle.main.executablePath ?? CommandLine.arguments[0],
        ]) { $1 }
        Interruption.isIgnored.store(true, ordering: .relaxed)
        defer { Interruption.isIgnored.store(false, ordering: .relaxed) }
        let process = ForegroundProcess.start(arguments, variables, input: input, output: ends[1])
        close(ends[1])
        let output = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd() ?? Data()
        guard let process else { throw Self.failure("\(path) cannot be started") }
        switch ForegroundProcess.status(of: process) {
        case 0:
            let id = String(decoding: output, as: UTF8.self).prefix { $0 != "\t" }
            return items.first { $0.id.text == id }
        // No item was chosen: there was no match, or the user pressed Escape or Ctrl-C.
        case 1, 130: return nil
        case let status: throw Self.failure("\(path) exited with status \(status); --builtin does not use it")
        }
    }

    private static func failure(_ cause: String) -> CommandError {
        CommandError(.unavailable, "cannot show the entries: \(cause)")
    }

    /// Returns a file descriptor at the beginning of a file without a name.
    private static func temporaryFile(_ data: Data) throws -> Int32 {
        let folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/roost-pick-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }
}
