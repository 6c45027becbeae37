import ArgumentParser

/// The form in which a list is printed.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, jsonl, csv, tsv, paths
}

/// The options of the commands that list things.
struct ListOutputOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "table, json, jsonl (one object per line), csv, tsv, or paths (each path once).",
            valueName: "FORMAT"))
    var format: ListFormat?

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per line; the same as --format jsonl.")
    var jsonl = false

    @OptionGroup var nullPaths: NullPathsOption
    @OptionGroup var rawCells: RawCellsOption

    /// The form that the options select.
    var chosen: ListFormat { format ?? (json ? .json : jsonl ? .jsonl : .table) }

    func validate() throws {
        guard [format != nil, json, jsonl].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json and --jsonl can be given")
        }
        try nullPaths.check(chosen == .paths, "--format paths")
        try rawCells.check(chosen == .csv)
    }
}
