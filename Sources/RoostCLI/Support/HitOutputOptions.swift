import ArgumentParser

/// The options for the form in which hits are printed.
struct HitOutputOptions: ParsableArguments {
    /// The form of the output.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// A heading and an excerpt for each hit.
        case text
        case table, json, jsonl, csv, tsv, paths, template
    }

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            """
            text (with excerpts), table, json, jsonl (one object per line), csv, tsv, paths, or template \
            (see --template).
            """,
            valueName: "FORMAT"))
    var chosenFormat: Format?

    @Flag(name: .customShort("l"), help: "Print only the paths, each once; the same as --format paths.")
    var pathsOnly = false

    @Flag(name: .long, help: "Print the result as JSON; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per line; the same as --format jsonl.")
    var jsonl = false

    @Flag(name: .long, help: "Open the best hit at its line in $VISUAL or $EDITOR.")
    var open = false

    @OptionGroup var template: TemplateOption
    @OptionGroup var nullPaths: NullPathsOption
    @OptionGroup var rawCells: RawCellsOption

    /// The form of the output; `nil` if the best hit is opened, and nothing is printed.
    var format: Format? {
        if open { return nil }
        let unnamed: Format = template.text != nil ? .template : .text
        return chosenFormat ?? (pathsOnly ? .paths : json ? .json : jsonl ? .jsonl : unnamed)
    }

    func validate() throws {
        // --template needs no --format, but permits the one that it implies.
        let hasOtherFormat = chosenFormat != nil && (chosenFormat != .template || template.text == nil)
        guard [hasOtherFormat, pathsOnly, json, jsonl, open, template.text != nil].count(where: \.self) <= 1
        else {
            throw ValidationError(
                "only one of --format, -l, --json, --jsonl, --open and --template can be given")
        }
        try template.check(isChosen: format == .template)
        try nullPaths.check(format == .paths, "-l or --format paths")
        try rawCells.check(format == .csv)
    }
}
