import Foundation
import Roost

/// Entries as CSV (RFC 4180), with a header. `roost import` reads it (``ExportedTable``).
struct EntryTable {
    private let withEmbeddings: Bool
    private let encoder = Terminal.lineEncoder
    private let write: (Data) throws -> Void
    /// The number of entries that were added.
    private(set) var count = 0
    /// The number of cells that begin with an additional apostrophe.
    private(set) var changedCellCount = 0

    /// Creates a table, and writes its header.
    ///
    /// - Parameters:
    ///   - withEmbeddings: Whether the last column contains the vector of each entry as a JSON array.
    ///   - write: Receives the lines in order.
    init(withEmbeddings: Bool, write: @escaping (Data) throws -> Void) throws {
        self.withEmbeddings = withEmbeddings
        self.write = write
        try addLine(ExportedTable.columns + (withEmbeddings ? [ExportedTable.vectorColumn] : []))
    }

    private func addLine(_ cells: [String]) throws {
        try write(Data((DelimitedLine.csv(cells) + "\r\n").utf8))
    }

    mutating func add(_ entry: Entry) throws {
        let metadata = try encoder.encode(entry.metadata).escapingControlsInJSON()
        let cells = [
            entry.id.text, entry.source ?? "", entry.key ?? "", entry.title ?? "",
            ExportedTable.cell(of: entry.tags), DateText.string(from: entry.createdAt),
            DateText.string(from: entry.updatedAt), String(decoding: metadata, as: UTF8.self), entry.content,
        ]
        var escaped = cells.map(DelimitedLine.escapingFormula)
        changedCellCount += zip(cells, escaped).count { $0 != $1 }
        if withEmbeddings {
            escaped.append(String(decoding: try encoder.encode(entry.embeddings), as: UTF8.self))
        }
        try addLine(escaped)
        count += 1
    }
}
