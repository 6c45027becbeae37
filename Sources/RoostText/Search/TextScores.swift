/// The scores of all documents for a query (BM25 over several fields).
package struct TextScores: Sendable {
    /// A clause of the query with its weight and the documents that contain it.
    struct WeightedClause: Sendable {
        /// The rarity of the clause, times its number of occurrences in the query.
        var weight: Float
        var found: [TextPart.Found]
        /// Whether the clause is a pair of adjacent words, which is found only in the body.
        var isPair: Bool
    }

    private let parts: [TextPart]
    private let clauses: [WeightedClause]
    private let meanLength: Float
    /// The scores of the documents of each part; empty if no document has a score.
    private let scores: [[Float]]
    /// The information of the words of the query: the sum of their weights.
    package let information: Float
    /// The score of a document that consists of the query.
    package let exactScore: Float

    init(_ parts: [TextPart], _ clauses: [WeightedClause], meanLength: Float) throws {
        (self.parts, self.clauses, self.meanLength) = (parts, clauses, meanLength)
        scores = try parts.enumerated().map { number, part in
            try Task.checkCancellation()
            return Self.scores(part, number, clauses, meanLength)
        }
        information = clauses.reduce(0) { $0 + ($1.isPair ? 0 : $1.weight) }
        let pairs = clauses.reduce(0) { $0 + ($1.isPair ? $1.weight : 0) }
        exactScore = information * TextScoring.exactShare + pairs * TextScoring.exactPairShare
    }

    /// Returns the score of a document; 0 if it contains none of the words.
    package subscript(part: Int, document: Int) -> Float { scores[part].isEmpty ? 0 : scores[part][document] }

    /// Returns the documents with the highest scores, best first.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of documents.
    ///   - isAllowed: Whether a document may be returned.
    ///   - precedes: The order of documents with equal scores.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents).
    package func best(
        _ limit: Int, isAllowed: (_ part: Int, _ document: Int) -> Bool = { _, _ in true },
        precedes: @escaping (TextMatch, TextMatch) -> Bool
    ) throws -> [TextMatch] {
        guard limit > 0 else { return [] }
        var best = BestMatches(limit, precedes: precedes)
        for (number, part) in parts.enumerated() {
            try Task.checkCancellation()
            scores[number].withUnsafeBufferPointer { scores in
                for document in scores.indices where scores[document] >= best.threshold {
                    guard !part.isRemoved(document), isAllowed(number, document) else { continue }
                    best.insert(TextMatch(part: number, document: document, score: scores[document]))
                }
            }
        }
        return best.sorted()
    }

    private static func scores(
        _ part: TextPart, _ number: Int, _ clauses: [WeightedClause], _ meanLength: Float
    ) -> [Float] {
        guard !clauses.allSatisfy(\.found[number].isEmpty) else { return [] }
        let index = part.index
        return [Float](unsafeUninitializedCapacity: index.documentCount) { scores, count in
            scores.initialize(repeating: 0)
            count = index.documentCount
            index.reading {
                for clause in clauses {
                    part.forEachMatch(clause.found[number]) { match in
                        let occurrences = Float(match.occurrences)
                        guard !clause.isPair else {
                            scores[match.document] += clause.weight * TextScoring.pairShare(occurrences)
                            return
                        }
                        let length = Float(UInt32(littleEndian: index.lengths[match.document]))
                        let body = occurrences / TextScoring.norm(length, meanLength)
                        scores[match.document] +=
                            clause.weight * TextScoring.share(body + TextScoring.frequency(of: match.fields))
                    }
                }
            }
        }
    }
}

extension TextScores {
    /// The parts of a document's score.
    package struct Breakdown: Sendable, Hashable {
        /// The share of the words in the body.
        package var body: Float = 0
        /// The shares of the words in the other fields.
        package var fields: [TextField: Float] = [:]
        /// The share of adjacent words.
        package var pairs: Float = 0
        /// The number of words of the query that the document contains.
        package var words = 0
    }

    /// The number of words of the query.
    package var wordCount: Int { clauses.count { !$0.isPair } }

    /// Returns the parts of the scores of documents.
    ///
    /// - Complexity: O(documents of the part + postings of the query's words).
    package func breakdowns(ofPart number: Int, _ documents: [Int]) -> [Int: Breakdown] {
        let part = parts[number]
        var breakdowns = Dictionary(documents.map { ($0, Breakdown()) }) { first, _ in first }
        // Most postings are those of other documents, and a look-up in an array is faster than in the
        // dictionary.
        var isRequested = [Bool](repeating: false, count: part.index.documentCount)
        for document in documents { isRequested[document] = true }
        part.index.reading {
            for clause in clauses {
                part.forEachMatch(clause.found[number]) { match in
                    guard isRequested[match.document] else { return }
                    add(match, clause, part, to: &breakdowns[match.document, default: Breakdown()])
                }
            }
        }
        return breakdowns
    }

    private func add(
        _ match: TextPart.FoundDocument, _ clause: WeightedClause, _ part: TextPart,
        to breakdown: inout Breakdown
    ) {
        guard !clause.isPair else {
            breakdown.pairs += clause.weight * TextScoring.pairShare(Float(match.occurrences))
            return
        }
        let length = Float(UInt32(littleEndian: part.index.lengths[match.document]))
        let body = Float(match.occurrences) / TextScoring.norm(length, meanLength)
        let unit = clause.weight / (body + TextScoring.frequency(of: match.fields) + TextScoring.k1)
        breakdown.words += 1
        breakdown.body += unit * body
        for field in match.fields.members {
            breakdown.fields[field, default: 0] += unit * TextScoring.frequency(of: field)
        }
    }
}
