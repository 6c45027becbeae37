import ArgumentParser

/// The short forms of `--format json` and `--format jsonl`, for commands that write JSON by default.
struct JSONFormatFlags: ParsableArguments {
    @Flag(name: .long, help: "Write one JSON document; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Write JSON Lines; the same as --format jsonl.")
    var jsonl = false

    /// Returns the format that the options select.
    func choose<Format>(_ format: Format?, json jsonFormat: Format, jsonl jsonlFormat: Format) -> Format {
        format ?? (jsonl ? jsonlFormat : jsonFormat)
    }

    /// Checks that at most one option selects a format.
    ///
    /// - Throws: `ValidationError`.
    func check(_ format: (some Any)?) throws {
        guard [format != nil, json, jsonl].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json and --jsonl can be given")
        }
    }
}
