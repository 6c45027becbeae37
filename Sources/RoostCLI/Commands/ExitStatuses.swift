import ArgumentParser

/// The help page about exit statuses; `roost help exit-statuses` shows it.
struct ExitStatuses: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exit-statuses", abstract: "The exit statuses of all commands.",
        discussion: """
            Scripts can rely on these statuses. Those from 64 to 78 have the meanings of sysexits.h:

            \(ExitStatus.allCases.map { "  \(padded($0.rawValue))  \($0.explanation)" }
                .joined(separator: "\n"))

            Examples:
              roost query swifts -l || echo "status $?"
              roost doctor --quiet; test $? -eq 65 && roost doctor --repair
            """, shouldDisplay: false)

    private static func padded(_ number: Int32) -> String {
        String(repeating: " ", count: max(0, 3 - String(number).count)) + String(number)
    }

    func run() throws { throw CleanExit.helpRequest(self) }
}

extension ExitStatus {
    /// The meaning of the status.
    fileprivate var explanation: String {
        switch self {
        case .success: "Success. An empty list is a success too."
        case .nothingFound:
            "A search found nothing, a setting has no value, the store has no index, or you answered no to a "
                + "question."
        case .usage: "The command line has an unknown command, option or value."
        case .badData: "The input or the store is damaged, or has an unsupported format."
        case .noInput: "A file, an entry, a cluster, a session or the store is missing or cannot be read."
        case .unavailable: "A model, a server or your editor is not available, or it lacks a feature."
        case .software: "An unexpected error: please report it."
        case .cannotCreate: "An output cannot be created, or it exists."
        case .inputOutput: "Reading or writing failed; the disk may be full."
        case .tryAgain:
            "Another process is using or has changed the store, or other workers are not ready; try again."
        case .configuration: "A setting, a key or the owner of the store is wrong."
        case .interrupted: "You stopped the command with Ctrl-C."
        }
    }
}
