import ArgumentParser
import Foundation

/// The formats that a command exports. The first one is the default.
protocol ExportFormat: ExpressibleByArgument, RawRepresentable<String>, CaseIterable {}

struct ExportTarget<Format: ExportFormat>: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The format: " + Format.allCases.map(\.rawValue).joined(separator: ", ")
                + ". Default: by the extension of the file, else the first one.", valueName: "FORMAT"))
    var format: Format?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, atomically. Default: standard output.", valueName: "FILE"))
    var output: String?

    @Flag(name: .long, help: "Include the vectors.")
    var withEmbeddings = false

    /// The extensions of files that have the name of a format in another form.
    private static var formats: [String: String] { ["ndjson": "jsonl", "htm": "html"] }

    /// Returns the format that the option or the extension of the file names; the first
    /// one without both.
    func chosen() throws -> Format {
        if let format { return format }
        let suffix = output.map { URL(fileURLWithPath: $0).pathExtension.lowercased() } ?? ""
        guard !suffix.isEmpty, output != "-" else { return Format.allCases.first! }
        guard let found = Format(rawValue: Self.formats[suffix] ?? suffix) else {
            throw ValidationError("the extension .\(suffix) names no format; choose one with --format")
        }
        return found
    }

    func validate() throws { _ = try chosen() }
}
