import Foundation
import Roost

enum HitRow {
    static let columns = [
        TableColumn(name: "score", style: .bold, isNumber: true), EntryRow.idColumn,
        TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "line", isNumber: true, isDetail: true),
        TableColumn(name: "similarity", isNumber: true, isDetail: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "excerpt", isDetail: true),
    ]

    /// Returns the row of a hit.
    ///
    /// - Parameter additions: The optional members of the JSON output.
    static func row(
        _ hit: QueryHit, in result: QueryResult, document additions: HitDocument.Additions
    ) -> ListRow {
        let document = HitDocument(hit, result.snippet(of: hit), additions)
        return ListRow(
            cells: [
                Terminal.score(hit.score), document.id, EntryTitle.text(of: hit.entry),
                hit.entry.displayPath,
                document.location.line.map { "\($0)" } ?? "", Terminal.score(hit.similarity),
                hit.entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                Terminal.line(document.snippet?.text ?? "", limit: .max),
            ], document: document, path: hit.entry.listedPath)
    }
}
