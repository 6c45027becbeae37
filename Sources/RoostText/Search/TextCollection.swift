/// A text that words were found in.
public struct TextMatch: Sendable, Hashable {
    /// Which part of the collection, and which of its texts.
    public var part: Int
    public var document: Int
    /// Its BM25 score, above 0.
    public var score: Float
}

/// Texts in several indexes, searched as if they were in one.
///
/// Ranked by BM25 (Robertson and Zaragoza 2009), with the inverse document frequency that is never negative:
/// the sum over the query's words of
///
///     log(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 (1 - b + b · length / mean length))
///
/// for `n` of `N` texts with the word, `f` times in this one; `k1` is 0.9, `b` 0.4.
public struct TextCollection: Sendable {
    public var parts: [TextPart] = []

    public init() {}

    public var documentCount: Int { parts.reduce(0) { $0 + $1.documents } }

    private static let (k1, b): (Float, Float) = (0.9, 0.4)

    /// The texts that have some of a query's words, best first.
    ///
    /// - Parameters:
    ///   - limit: the most matches.
    ///   - isAllowed: whether a text of a part may be found.
    ///   - precedes: which of two texts of equal score comes first.
    /// - Complexity: O(texts that have one of the words).
    public func ranked(
        _ query: TextQuery, limit: Int, isAllowed: (_ part: Int, _ document: Int) -> Bool = { _, _ in true },
        precedes: @escaping (TextMatch, TextMatch) -> Bool
    ) throws -> [TextMatch] {
        let documents = documentCount
        guard limit > 0, documents > 0 else { return [] }
        let meanLength = max(1, Float(parts.reduce(0) { $0 + $1.length }) / Float(documents))
        let found = try parts.map { part in
            try query.wanted.map { wanted in
                try Task.checkCancellation()
                return part.find(wanted.clause)
            }
        }
        let weights = query.wanted.indices.map { word in
            let count = parts.indices.reduce(0) { $0 + parts[$1].documentCount(found[$1][word]) }
            let rarity = (Double(documents) - Double(count) + 0.5) / (Double(count) + 0.5)
            return Float(Double(query.wanted[word].count) * logarithm(1 + rarity))
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

    /// For each part the texts that have what a query requires and not what it excludes; `nil` for a query
    /// that leaves out none.
    ///
    /// - Throws: `CancellationError`.
    /// - Complexity: O(occurrences of the words in question).
    public func allowed(by query: TextQuery) throws -> [[Bool]]? {
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

/// The best matches of those that come along.
private struct BestMatches {
    private let limit: Int
    private let precedes: (TextMatch, TextMatch) -> Bool
    /// Up to twice as many as are wanted, so that they are sorted seldom.
    private var matches: [TextMatch] = []
    /// What scores less is not among them. Texts without any of the words score 0.
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
