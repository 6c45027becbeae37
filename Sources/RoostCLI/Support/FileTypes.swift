import Foundation
import Roost
import RoostDocuments

/// The list of the types of files that can be ingested.
enum FileTypes {
    /// A type in the JSON output.
    private struct TypeDocument: Encodable {
        var name: String
        var title: String
        var extensions: [String]
        var fileNames: [String]
        var mediaTypes: [String]
        /// Whether files of the type are read when a folder is ingested.
        var isReadInFolders: Bool
    }

    /// The types of the files whose rows become entries.
    private static let rows = [
        DocumentType(
            name: "jsonl", title: "JSON Lines, one entry per row", extensions: ["jsonl", "ndjson"],
            mediaTypes: ["application/x-ndjson"]),
        DocumentType(
            name: "csv", title: "CSV, one entry per row", extensions: ["csv"], mediaTypes: ["text/csv"]),
        DocumentType(
            name: "tsv", title: "TSV, one entry per row", extensions: ["tsv"],
            mediaTypes: ["text/tab-separated-values"]),
    ]

    /// Prints the list.
    static func show(asJSON: Bool) throws {
        let types = DocumentReaders.standard.types + rows
        if asJSON {
            return try Terminal.json(
                types.map {
                    TypeDocument(
                        name: $0.name, title: $0.title, extensions: $0.extensions.sorted(),
                        fileNames: $0.fileNames.sorted(), mediaTypes: $0.mediaTypes.sorted(),
                        isReadInFolders: $0.isReadInFolders)
                })
        }
        let width = types.map(\.title.count).max() ?? 0
        for type in types {
            let names = type.extensions.sorted().map { ".\($0)" } + type.fileNames.sorted()
            let note = type.isReadInFolders ? "" : "  (only if named)"
            Terminal.write(
                type.title.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
                    + names.joined(separator: " ") + note)
        }
    }
}
