import ArgumentParser

/// The options for the form in which hits are printed.
struct HitOutputOptions: ParsableArguments {
    /// The form of the output.
    enum Format {
        case text, json, jsonLines, paths
        /// The best hit is opened, and nothing is printed.
        case none
    }

    @Flag(name: .customShort("l"), help: "Print only the paths, each once.")
    var pathsOnly = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    @Flag(name: .long, help: "Print one JSON object per hit, each on one line.")
    var jsonl = false

    @Flag(name: .long, help: "Open the best hit at its line in $VISUAL or $EDITOR.")
    var open = false

    var format: Format {
        pathsOnly ? .paths : json ? .json : jsonl ? .jsonLines : open ? .none : .text
    }

    func validate() throws {
        guard [pathsOnly, json, jsonl, open].count(where: \.self) <= 1 else {
            throw ValidationError("Only one of -l, --json, --jsonl and --open can be given.")
        }
    }
}
