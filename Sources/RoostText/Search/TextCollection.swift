/// A document that matches a query.
package struct TextMatch: Sendable, Hashable {
    /// The index of the part in the collection.
    package var part: Int
    /// The number of the document in the part.
    package var document: Int
    /// The BM25 score, greater than 0.
    package var score: Float
}

/// Documents in several inverted indexes, searched as if they were in one.
///
/// Documents are ranked by BM25 (Robertson and Zaragoza 2009) with an inverse document frequency that is
/// never negative. The score is the sum over the query's words of
///
///     log(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 (1 - b + b · length / mean length))
///
/// where n of the N documents contain the word, and this document contains it f times.
package struct TextCollection: Sendable {
    /// The indexes, each with its deleted documents.
    package var parts: [TextPart] = []

    package init() {}

    /// The number of documents in all parts, excluding deleted ones.
    package var documentCount: Int { parts.reduce(0) { $0 + $1.documents } }

    /// The BM25 parameters: the defaults of the Anserini toolkit (Yang, Fang and Lin 2017), which work well
    /// for short texts.
    private static let (k1, b): (Float, Float) = (0.9, 0.4)

    /// Returns the documents that contain a word of the query, best first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The maximum number of matches.
    ///   - isAllowed: Returns whether the result may contain the given document of the given part.
    ///   - precedes: Returns whether the first of two documents with equal scores ranks before the second.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents that contain one of the words).
    package func ranked(
        _ query: TextQuery, limit: Int, isAllowed: (_ part: Int, _ document: Int) -> Bool = { _, _ in true },
        precedes: @escaping (TextMatch, TextMatch) -> Bool
    ) throws -> [TextMatch] {
        let documents = documentCount
        guard limit > 0, documents > 0 else { return [] }
        let meanLength = max(1, Float(parts.reduce(0) { $0 + $1.length }) / Float(documents))
        let found = try parts.map { part in
            try query.scoring.map { scoring in
                try Task.checkCancellation()
                return part.find(scoring.clause)
            }
        }
        let weights = query.scoring.indices.map { word in
            let count = parts.indices.reduce(0) { $0 + parts[$1].documentCount(found[$1][word]) }
            let rarity = (Double(documents) - Double(count) + 0.5) / (Double(count) + 0.5)
            return Float(Double(query.scoring[word].count) * logarithm(1 + rarity))
        }
        var best = BestMatches(limit, precedes: precedes)
        for (number, part) in parts.enumerated() where !found[number].allSatisfy(\.isEmpty) {
            try Task.checkCancellation()
            let scores = part.scores(found[number], weights, k1: Self.k1, b: Self.b, meanLength)
            for document in scores.indices where scores[document] >= best.threshold {
                guard !part.isRemoved(document), isAllowed(number, document) else { continue }
                best.insert(TextMatch(part: number, document: document, score: scores[document]))
            }
        }
        return best.sorted()
    }

    /// Returns, for each document of each part, whether it contains everything that the query requires and
    /// nothing that the query excludes.
    ///
    /// - Returns: `nil` if the query requires and excludes nothing.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(occurrences of the required and excluded words).
    package func allowed(by query: TextQuery) throws -> [[Bool]]? {
        guard query.isSelective else { return nil }
        return try parts.map { part in
            var allowed = (0..<part.index.documentCount).map { !part.isRemoved($0) }
            for clause in query.required {
                try Task.checkCancellation()
                var has = Array(repeating: false, count: allowed.count)
                for document in part.documents(with: clause) { has[document] = true }
                for document in allowed.indices where !has[document] { allowed[document] = false }
            }
            for clause in query.excluded {
                try Task.checkCancellation()
                for document in part.documents(with: clause) { allowed[document] = false }
            }
            return allowed
        }
    }
}

/// Collects the best matches from a stream of candidates.
private struct BestMatches {
    private let limit: Int
    private let precedes: (TextMatch, TextMatch) -> Bool
    /// The best candidates so far, unsorted, and some worse ones. They are sorted and cut to `limit` only
    /// after their number has at least doubled.
    private var matches: [TextMatch] = []
    /// The score below which a candidate is not kept. Initially the smallest positive number, because
    /// documents without any of the words have a score of 0.
    private(set) var threshold = Float.leastNonzeroMagnitude

    init(_ limit: Int, precedes: @escaping (TextMatch, TextMatch) -> Bool) {
        self.limit = limit
        self.precedes = precedes
    }

    mutating func insert(_ match: TextMatch) {
        matches.append(match)
        guard matches.count - limit >= max(limit, 64) else { return }
        matches = sorted()
        threshold = matches[limit - 1].score
    }

    func sorted() -> [TextMatch] {
        let all = matches.sorted { $0.score > $1.score || ($0.score == $1.score && precedes($0, $1)) }
        return Array(all.prefix(limit))
    }
}
