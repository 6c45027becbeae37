import ArgumentParser

/// The option for the maximum number of listed things.
struct LimitOption: ParsableArguments {
    @Option(
        name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
        help: ArgumentHelp("The maximum number of lines, hits or groups.", valueName: "N"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("-n must be a whole number of at least 1, not \(limit)")
        }
    }
}
