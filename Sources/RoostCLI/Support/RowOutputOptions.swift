import ArgumentParser

/// The options of the commands that list things without paths, such as clusters and snapshots.
struct RowOutputOptions: ParsableArguments {
    /// The form in which the list is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, json, jsonl, csv, tsv

        var listFormat: ListFormat {
            switch self {
            case .table: .table
            case .json: .json
            case .jsonl: .jsonl
            case .csv: .csv
            case .tsv: .tsv
            }
        }
    }

    @Option(
        name: .long,
        help: ArgumentHelp("table, json, jsonl (one object per line), csv or tsv.", valueName: "FORMAT"))
    var format: Format?

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per line; the same as --format jsonl.")
    var jsonl = false

    @OptionGroup var rawCells: RawCellsOption

    /// The form that the options select.
    var chosen: ListFormat { format?.listFormat ?? (json ? .json : jsonl ? .jsonl : .table) }

    func validate() throws {
        guard [format != nil, json, jsonl].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json and --jsonl can be given")
        }
        try rawCells.check(chosen == .csv)
    }
}
