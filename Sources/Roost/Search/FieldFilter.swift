import RoostModel
import RoostText

/// The step that finds the entries whose title, path or tags contain the words that a query requires there.
struct FieldFilter {
    let conditions: [TextQuery.FieldCondition]
    let words: TextContents
    let snapshot: any StorageSnapshot

    /// The number of entries that are read at once.
    private static let entriesPerRead = 256

    /// Creates the filter of a query; `nil` if the query has no conditions on fields.
    init?(_ query: TextQuery, _ words: TextContents, in snapshot: any StorageSnapshot) {
        guard !query.fieldConditions.isEmpty else { return nil }
        conditions = query.fieldConditions
        self.words = words
        self.snapshot = snapshot
    }

    /// Returns the rows of the entries that meet all conditions.
    ///
    /// - Parameter allowed: The rows of the entries that may be found; `nil` for all.
    /// - Throws: `StorageError`; `CancellationError`.
    func rows(among allowed: RowSet?) async throws -> RowSet {
        var result = allowed
        for condition in conditions {
            try Task.checkCancellation()
            let found = try await rows(of: condition)
            if condition.isExcluded {
                var rest = RowSet()
                for row in try await current(result) where !found.contains(row) { rest.insert(row) }
                result = rest
            } else {
                result?.formIntersection(found)
                result = result ?? found
            }
        }
        return try await current(result)
    }

    private func current(_ rows: RowSet?) async throws -> RowSet {
        if let rows { return rows }
        return try await snapshot.rows(matching: .all)
    }

    /// Returns the rows of the entries whose field contains the words of a condition. Entries are read only
    /// if the order or the beginning of the words matters.
    private func rows(of condition: TextQuery.FieldCondition) async throws -> RowSet {
        let candidates = words.entries(with: condition)
        guard !condition.isSingleWord else { return RowSet(candidates.map(\.row)) }
        var found = RowSet()
        for start in stride(from: 0, to: candidates.count, by: Self.entriesPerRead) {
            let part = candidates[start..<min(candidates.count, start + Self.entriesPerRead)]
            let rows = Dictionary(part.map { ($0.id, $0.row) }) { first, _ in first }
            for entry in try await snapshot.entries(part.map(\.id)) {
                let text = entry.indexedText.fields[condition.field] ?? ""
                if condition.occurs(in: text), let row = rows[entry.id] { found.insert(row) }
            }
        }
        return found
    }
}

extension TextContents {
    /// Returns the entries whose field contains all words of a condition, in any order.
    fileprivate func entries(with condition: TextQuery.FieldCondition) -> [(id: Entry.ID, row: UInt32)] {
        var found: [(id: Entry.ID, row: UInt32)] = []
        for (part, rows) in zip(collection.parts, rows) {
            for document in part.documents(with: condition).sorted() where !part.isRemoved(document) {
                found.append((rows.id(document), rows.entryRow(document)))
            }
        }
        return found
    }
}
