/// Documents in several inverted indexes, searched as if they were in one (``TextScoring``).
package struct TextCollection: Sendable {
    /// The indexes, each with its deleted documents.
    package var parts: [TextPart] = []

    package init() {}

    /// The number of documents in all parts, excluding deleted ones.
    package var documentCount: Int { parts.reduce(0) { $0 + $1.documents } }

    /// Returns the scores of all documents.
    ///
    /// - Parameter counted: The documents among which the rarity of words and the mean length are measured;
    ///   `nil` for all. The scores of these documents are then independent of the others.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents + postings of the words).
    package func scores(for query: TextQuery, among counted: VisibleDocuments? = nil) throws -> TextScores {
        let (documents, length) = size(of: counted)
        let meanLength = max(1, Float(length) / Float(max(1, documents)))
        func find(_ clause: TextQuery.Clause) throws -> [TextPart.Found] {
            try parts.map { part in
                try Task.checkCancellation()
                return part.find(clause)
            }
        }
        func information(_ found: [TextPart.Found]) -> Float {
            TextScoring.information(count(found, counted), of: documents)
        }
        var clauses = try query.scoring.map { scoring in
            let found = try find(scoring.clause)
            return TextScores.WeightedClause(
                clause: scoring.clause,
                weight: scoring.weight * Float(scoring.count) * information(found), found: found,
                word: scoring.word, isPart: scoring.isPart, isCorrected: scoring.isCorrected)
        }
        for pair in query.pairs {
            guard case .phrase(let terms) = pair else { continue }
            let words = try terms.map { information(try find(.phrase([$0.alone]))) }
            let mean = words.reduce(0, +) / Float(max(1, words.count))
            clauses.append(
                TextScores.WeightedClause(
                    clause: pair, weight: TextScoring.pairWeight * mean, found: try find(pair)))
        }
        return try TextScores(parts, clauses, meanLength: meanLength)
    }

    /// Returns the number of documents, and the total number of their words.
    ///
    /// - Parameter counted: The documents that count; `nil` for all.
    /// - Complexity: O(parts); with `counted`, O(documents).
    func size(of counted: VisibleDocuments?) -> (documents: Int, length: Int) {
        guard let counted else { return (documentCount, parts.reduce(0) { $0 + $1.length }) }
        var size = (documents: 0, length: 0)
        for part in parts.indices {
            let (documents, length) = parts[part].size { counted.contains(part, $0) }
            size = (size.documents + documents, size.length + length)
        }
        return size
    }

    /// Returns the number of documents found.
    ///
    /// - Parameters:
    ///   - found: The documents found in each part.
    ///   - counted: The documents that count; `nil` for all.
    /// - Complexity: O(documents found).
    func count(_ found: [TextPart.Found], _ counted: VisibleDocuments?) -> Int {
        parts.indices.reduce(0) { sum, part in
            guard let counted else { return sum + parts[part].documentCount(found[part]) }
            return sum + parts[part].documentCount(found[part]) { counted.contains(part, $0) }
        }
    }

    /// Returns the documents that contain a word of the query, best first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The maximum number of matches.
    ///   - isAllowed: Returns whether the result may contain the given document of the given part.
    ///   - precedes: Returns whether the first of two documents with equal scores ranks before the second.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents + postings of the words).
    package func ranked(
        _ query: TextQuery, limit: Int, isAllowed: (_ part: Int, _ document: Int) -> Bool = { _, _ in true },
        precedes: @escaping (TextMatch, TextMatch) -> Bool
    ) throws -> [TextMatch] {
        guard limit > 0, documentCount > 0 else { return [] }
        return try scores(for: query).best(limit, isAllowed: isAllowed, precedes: precedes)
    }

    /// Returns, for each document of each part, whether it contains everything that the query requires and
    /// nothing that the query excludes, in any field or in the fields that the query names.
    ///
    /// - Returns: `nil` if the query requires and excludes nothing.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents + occurrences of the required and excluded words).
    package func allowed(by query: TextQuery) throws -> [[Bool]]? {
        guard query.isSelective else { return nil }
        return try parts.map { part in
            var allowed = (0..<part.index.documentCount).map { !part.isRemoved($0) }
            for condition in query.conditions {
                let contains = try part.contains(condition)
                for document in allowed.indices where contains[document] == condition.isExcluded {
                    allowed[document] = false
                }
            }
            return allowed
        }
    }
}
