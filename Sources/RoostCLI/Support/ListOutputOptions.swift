import ArgumentParser

/// The options of the commands that list things.
struct ListOutputOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            table, json, jsonl (one object per line), csv, tsv, paths (each path once), or template (see \
            --template).
            """,
            valueName: "FORMAT"))
    var format: ListFormat?

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per line; the same as --format jsonl.")
    var jsonl = false

    @OptionGroup var template: TemplateOption
    @OptionGroup var nullPaths: NullPathsOption
    @OptionGroup var rawCells: RawCellsOption

    /// The form that the options select.
    var chosen: ListFormat {
        format ?? (json ? .json : jsonl ? .jsonl : template.text != nil ? .template : .table)
    }

    func validate() throws {
        // --template needs no --format, but permits the one that it implies.
        let hasOtherFormat = format != nil && (format != .template || template.text == nil)
        guard [hasOtherFormat, json, jsonl, template.text != nil].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json, --jsonl and --template can be given")
        }
        try template.check(isChosen: chosen == .template)
        try nullPaths.check(chosen == .paths, "--format paths")
        try rawCells.check(chosen == .csv)
    }
}
