import ArgumentParser

/// The options of the commands that list things without paths, such as clusters and snapshots.
struct RowOutputOptions: ParsableArguments {
    /// The form in which the list is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, json, jsonl, csv, tsv, template

        var listFormat: ListFormat {
            switch self {
            case .table: .table
            case .json: .json
            case .jsonl: .jsonl
            case .csv: .csv
            case .tsv: .tsv
            case .template: .template
            }
        }
    }

    @Option(
        name: .long,
        help: ArgumentHelp(
            "table, json, jsonl (one object per line), csv, tsv, or template (see --template).",
            valueName: "FORMAT"))
    var format: Format?

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per line; the same as --format jsonl.")
    var jsonl = false

    @OptionGroup var template: TemplateOption
    @OptionGroup var rawCells: RawCellsOption

    /// The form that the options select.
    var chosen: ListFormat {
        format?.listFormat ?? (json ? .json : jsonl ? .jsonl : template.text != nil ? .template : .table)
    }

    func validate() throws {
        // --template needs no --format, but permits the one that it implies.
        let hasOtherFormat = format != nil && (format != .template || template.text == nil)
        guard [hasOtherFormat, json, jsonl, template.text != nil].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json, --jsonl and --template can be given")
        }
        try template.check(isChosen: chosen == .template)
        try rawCells.check(chosen == .csv)
    }
}
