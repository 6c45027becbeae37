import RoostModel
import RoostText

/// The scores by words of all entries for one query.
struct WordScores: Sendable {
    /// The scores of the documents.
    let scores: TextScores
    /// For each part of the collection, the entries that its documents represent.
    let rows: [IndexRows]
    let parts: [TextPart]

    /// Returns the entries that contain any of the query's words, best first. If scores are equal, the lower
    /// id comes first.
    ///
    /// - Parameters:
    ///   - k: The maximum number of entries.
    ///   - entryRows: The rows of the entries that may be found; `nil` for all.
    /// - Throws: `CancellationError`.
    @concurrent
    func best(_ k: Int, among entryRows: RowSet?) async throws -> [TextContents.Hit] {
        try scores.best(
            k, isAllowed: { entryRows?.contains(rows[$0].entryRow($1)) ?? true },
            precedes: { rows[$0.part].id($0.document) < rows[$1.part].id($1.document) }
        ).map {
            TextContents.Hit(
                entry: rows[$0.part].id($0.document), entryRow: rows[$0.part].entryRow($0.document),
                score: $0.score)
        }
    }

    /// Returns the score of an entry, or `nil` if it contains none of the words.
    ///
    /// - Complexity: O(log entries).
    func score(of entry: Entry.ID, row: UInt32) -> Float? {
        document(of: entry, row).map { scores[$0.part, $0.document] }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the parts of the scores of some entries.
    ///
    /// - Parameter entries: The entries with their storage's rows.
    /// - Complexity: O(postings of the query's words).
    func breakdowns(of entries: [(id: Entry.ID, row: UInt32)]) -> [Entry.ID: TextScores.Breakdown] {
        var documents = [[Int: Entry.ID]](repeating: [:], count: parts.count)
        for entry in entries {
            if let found = document(of: entry.id, entry.row) {
                documents[found.part][found.document] = entry.id
            }
        }
        var result: [Entry.ID: TextScores.Breakdown] = [:]
        for (part, ids) in documents.enumerated() where !ids.isEmpty {
            for (document, breakdown) in scores.breakdowns(ofPart: part, Array(ids.keys)) {
                if let id = ids[document] { result[id] = breakdown }
            }
        }
        return result
    }

    /// Returns the current document of an entry.
    private func document(of entry: Entry.ID, _ row: UInt32) -> (part: Int, document: Int)? {
        for part in rows.indices.reversed() {
            guard let document = rows[part].firstRow(ofEntryRow: row), rows[part].id(document) == entry,
                !parts[part].isRemoved(document)
            else { continue }
            return (part, document)
        }
        return nil
    }
}
