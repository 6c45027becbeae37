public import ArgumentParser
public import Roost
import Synchronization

enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    /// For people: a table, or headings with excerpts for hits.
    case text
    case json, jsonl, csv, tsv, paths
}

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
    var isJSON: Bool { format == .json || format == .jsonl }

    func validate() throws {
        guard chosen == nil || !json else {
            throw ValidationError("give either --format or --json, not both")
        }
        guard format == .paths || !endsPathsWithNull else { throw ValidationError("-0 needs --format paths") }
    }
}

struct JSONOption: ParsableArguments {
    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false
}

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

extension Terminal.ColorChoice: ExpressibleByArgument {}

/// The options of all commands that print a list or an entry, about the form in which a terminal shows it.
struct DisplayOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Style the output: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always or "
                + "never.",
            valueName: "when"))
    var color = Terminal.ColorChoice.auto

    func validate() throws {
        Terminal.colorChoice.withLock { $0 = color }
    }
}

extension EntryOrder: ExpressibleByArgument {}

extension LeidenClusterer.Granularity: ExpressibleByArgument {}

/// The query and document prefixes of models such as E5, whose folders do not specify them.
struct PrefixOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The prefix that the model expects before a query, such as 'query: '.", valueName: "TEXT"))
    var queryPrefix: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The prefix that the model expects before a document, such as 'passage: '.", valueName: "TEXT"))
    var documentPrefix: String?
}
