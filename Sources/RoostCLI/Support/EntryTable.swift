import Foundation
import Roost

/// Entries as CSV (RFC 4180), with a header.
struct EntryTable {
    private static let columns = [
        "id", "source", "key", "title", "tags", "createdAt", "updatedAt", "metadata", "content",
    ]

    private let withEmbeddings: Bool
    private let escapesFormulas: Bool
    private let encoder = Terminal.lineEncoder
    /// The lines that were added, with the header.
    private(set) var data: Data
    /// The number of entries that were added.
    private(set) var count = 0

    /// Creates a table with a header.
    ///
    /// - Parameters:
    ///   - withEmbeddings: Whether the last column contains the vector of each entry as a JSON array.
    ///   - escapesFormulas: Whether texts that a spreadsheet would run as formulas get an apostrophe.
    init(withEmbeddings: Bool, escapesFormulas: Bool) {
        self.withEmbeddings = withEmbeddings
        self.escapesFormulas = escapesFormulas
        let names = Self.columns + (withEmbeddings ? ["embedding"] : [])
        data = Data((DelimitedLine.csv(names) + "\r\n").utf8)
    }

    /// Adds the row of an entry.
    mutating func add(_ entry: Entry) throws {
        let metadata = try encoder.encode(entry.metadata).escapingControlsInJSON()
        var cells = [
            entry.id.text, entry.source ?? "", entry.key ?? "", entry.title ?? "",
            entry.tags.joined(separator: ";"), DateText.string(from: entry.createdAt),
            DateText.string(from: entry.updatedAt), String(decoding: metadata, as: UTF8.self), entry.content,
        ]
        if escapesFormulas { cells = cells.map(DelimitedLine.escapingFormula) }
        if withEmbeddings {
            cells.append(String(decoding: try encoder.encode(entry.embeddings), as: UTF8.self))
        }
        data += Data((DelimitedLine.csv(cells) + "\r\n").utf8)
        count += 1
    }
}
