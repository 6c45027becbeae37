import ArgumentParser

enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    /// For people: a table, or headings with excerpts for hits.
    case text
    case json, jsonl, csv, tsv, paths
}

/// The options for the form of a list.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "text, json, jsonl (one object per line), csv, tsv, or paths (each path once).",
            valueName: "FORMAT"))
    var chosen: ListFormat?

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(
        name: [.customShort("0"), .customLong("null")],
        help: "End each path with a zero byte instead of a line break, for `xargs -0`; needs --format paths.")
    var endsPathsWithNull = false

    var format: ListFormat { chosen ?? (json ? .json : .text) }

    func validate() throws {
        guard chosen == nil || !json else {
            throw ValidationError("give either --format or --json, not both")
        }
        guard format == .paths || !endsPathsWithNull else { throw ValidationError("-0 needs --format paths") }
    }
}

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
