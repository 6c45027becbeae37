import Foundation
import Roost

enum EntryRow {
    /// The column of ids, of which tables show the first digits.
    static let idColumn = TableColumn(name: "id", style: .dim, shownLength: 8)

    /// The columns of lists of entries.
    static let columns = [
        idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "created", isDetail: true),
        TableColumn(name: "updated", isDetail: true),
    ]

    /// Returns the row of an entry.
    ///
    /// - Parameter document: The JSON output for the entry.
    static func row(_ entry: Entry, document: any Encodable) -> ListRow {
        ListRow(
            cells: [
                entry.id.text, EntryTitle.text(of: entry),
                entry.displayPath,
                entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                DateText.string(from: entry.createdAt), DateText.string(from: entry.updatedAt),
            ], document: document, path: entry.listedPath)
    }
}
