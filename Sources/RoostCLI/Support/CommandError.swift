/// An error raised by the command itself, not by the library.
struct CommandError: Error {
    var message: String
    var status: ExitStatus

    static func unknownProvider(_ name: String) -> CommandError {
        CommandError(
            .usage,
            "unknown storage '\(Terminal.line(name, limit: 40))'; use sqlite or json, "
                + "or postgres with `roost init`")
    }

    init(_ status: ExitStatus, _ message: String) {
        self.message = message
        self.status = status
    }
}

/// The exit statuses, as defined by sysexits.h, with 1 for a search without results.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case nothingFound = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case configuration = 78
    case interrupted = 130
}
