/// The word indexes of a store, which are searched as one: those of the index file, and those of later
/// changes.
package struct TextCollection: Sendable {
    /// The indexes. No document is in two of them, unless it is removed from all others.
    package var parts: [TextPart] = []

    package init() {}

    package var documentCount: Int { parts.reduce(0) { $0 + $1.documents } }

    /// Returns the scores of all documents for a query (BM25).
    ///
    /// - Parameter visible: The documents among which the rarity of words is measured; `nil` for all.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents + postings of the query's words).
    package func scores(for query: TextQuery, among visible: VisibleDocuments? = nil) throws -> TextScores {
        let (documents, length) = size(of: visible)
        let meanLength = max(1, Float(length) / Float(max(1, documents)))
        func find(_ clause: TextQuery.Clause) throws -> [TextPart.Found] {
            try parts.map { part in
                try Task.checkCancellation()
                return part.find(clause)
            }
        }
        func information(_ found: [TextPart.Found]) -> Float {
            TextScoring.information(count(found, visible), of: documents)
        }
        var clauses = try query.scoring.map { scoring in
            let found = try find(scoring.clause)
            return TextScores.WeightedClause(
                weight: Float(scoring.count) * information(found), found: found, isPair: false)
        }
        for pair in query.pairs {
            guard case .phrase(let terms) = pair else { continue }
            let words = try terms.map { information(try find(.phrase([$0.alone]))) }
            let mean = words.reduce(0, +) / Float(max(1, words.count))
            clauses.append(
                TextScores.WeightedClause(
                    weight: TextScoring.pairWeight * mean, found: try find(pair), isPair: true))
        }
        return try TextScores(
            parts, clauses, titled: parts.map { $0.documents(titled: query.title) }, meanLength: meanLength)
    }

    func size(of visible: VisibleDocuments?) -> (documents: Int, length: Int) {
        guard let visible else { return (documentCount, parts.reduce(0) { $0 + $1.length }) }
        var size = (documents: 0, length: 0)
        for part in parts.indices {
            let (documents, length) = parts[part].size { visible.contains(part, $0) }
            size = (size.documents + documents, size.length + length)
        }
        return size
    }

    func count(_ found: [TextPart.Found], _ visible: VisibleDocuments?) -> Int {
        parts.indices.reduce(0) { sum, part in
            guard let visible else { return sum + parts[part].documentCount(found[part]) }
            return sum + parts[part].documentCount(found[part]) { visible.contains(part, $0) }
        }
    }

    /// Returns whether each document of each part meets the conditions of a query; `nil` if it has none.
    package func allowed(by query: TextQuery) throws -> [[Bool]]? {
        guard query.isSelective else { return nil }
        return try parts.map { part in
            var allowed = (0..<part.index.documentCount).map { !part.isRemoved($0) }
            for condition in query.conditions {
                try Task.checkCancellation()
                let contains = part.contains(condition.clause, in: condition.field)
                for document in allowed.indices where contains[document] == condition.isExcluded {
                    allowed[document] = false
                }
            }
            return allowed
        }
    }
}

/// The documents of a collection whose words a query may depend on.
///
/// A correction to a word, the lack of one, and a score that depends on the rarity of the word would
/// otherwise tell whether a hidden document has the word.
package struct VisibleDocuments {
    let contains: (_ part: Int, _ document: Int) -> Bool

    package init(where contains: @escaping (_ part: Int, _ document: Int) -> Bool) {
        self.contains = contains
    }
}
