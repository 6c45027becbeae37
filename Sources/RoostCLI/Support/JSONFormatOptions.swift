import ArgumentParser
import Foundation

/// The option `--format` of a command that writes JSON by default, with short forms for JSON.
struct JSONFormatOptions<Format: JSONFormat>: ParsableArguments {
    @Option(name: .customLong("format"), help: ArgumentHelp(Format.help, valueName: "FORMAT"))
    var chosen: Format?

    @Flag(name: .long, help: "Write one JSON document; the same as --format json.")
    var json = false

    @Flag(name: .long, help: "Write JSON Lines; the same as --format jsonl.")
    var jsonl = false

    /// The extensions of files that have the name of a format in another form.
    private static var extensions: [String: String] {
        ["ndjson": "jsonl", "md": "markdown", "htm": "html"]
    }
    /// The extensions that name a format of this or another program. JSON in such a file would surprise.
    private static var formats: Set<String> {
        [
            "json", "jsonl", "csv", "tsv", "npy", "markdown", "html", "parquet", "feather", "arrow", "xlsx",
            "ods", "yaml", "xml", "pdf", "sqlite", "db", "gz", "zst", "xz", "bz2", "zip",
        ]
    }

    /// Returns the format that the options select, or else the one that the extension of the file names, or
    /// else JSON.
    ///
    /// - Parameter output: The file that is written; `nil` or `-` for standard output.
    func format(output: String? = nil) -> Format {
        if let chosen { return chosen }
        if json || jsonl { return jsonl ? .jsonl : .json }
        return Self.name(ofFile: output).flatMap(Format.init(rawValue:)) ?? .json
    }

    /// Returns the name of the format that the extension of a file names; `nil` if it names none.
    private static func name(ofFile output: String?) -> String? {
        guard let output, output != "-" else { return nil }
        let suffix = URL(fileURLWithPath: output).pathExtension.lowercased()
        let name = extensions[suffix] ?? suffix
        return formats.contains(name) ? name : nil
    }

    /// Checks that at most one option selects a format, and that the extension of the file names one that
    /// the command can write if no option does.
    ///
    /// - Parameter output: The file that is written; `nil` or `-` for standard output.
    /// - Throws: `ValidationError`.
    func check(output: String? = nil) throws {
        guard [chosen != nil, json, jsonl].count(where: \.self) <= 1 else {
            throw ValidationError("only one of --format, --json and --jsonl can be given")
        }
        if chosen == nil, !json, !jsonl, let name = Self.name(ofFile: output),
            Format(rawValue: name) == nil
        {
            throw ValidationError(
                "the command cannot write \(name) files; choose another extension, or the format with "
                    + "--format")
        }
    }
}
