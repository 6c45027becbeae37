import Foundation
import Roost
import RoostDocuments

/// The list of the types of files that can be ingested.
enum FileTypes {
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
    static func show() {
        let types = DocumentReaders.standard.types + rows
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
