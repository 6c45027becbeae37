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
