/// The scores of all documents for a query (BM25 over several fields).
package struct TextScores: Sendable {
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
    /// The documents of each part whose title is the query.
    private let titled: [Set<Int>]
    /// The scores of the documents of each part; empty if no document has a score.
    private let scores: [[Float]]
    /// The information of the words of the query: the sum of their weights.
    package let information: Float
    /// The score that a document approaches as it contains the words and pairs of the query more often.
    package let maximumScore: Float

    init(
        _ parts: [TextPart], _ clauses: [WeightedClause], titled: [Set<Int>], meanLength: Float
    ) throws {
        (self.parts, self.clauses, self.titled, self.meanLength) = (parts, clauses, titled, meanLength)
        scores = try parts.enumerated().map { number, part in
            try Task.checkCancellation()
            return Self.scores(part, number, clauses, meanLength)
        }
        information = clauses.reduce(0) { $0 + ($1.isPair ? 0 : $1.weight) }
        let pairs = clauses.reduce(0) { $0 + ($1.isPair ? $1.weight : 0) }
        maximumScore = information + pairs
    }

    /// Returns the score of a document; 0 if it contains none of the words.
    package subscript(part: Int, document: Int) -> Float { scores[part].isEmpty ? 0 : scores[part][document] }

    /// Returns whether the title of a document is the query.
    package func isTitled(part: Int, document: Int) -> Bool { titled[part].contains(document) }

    /// Returns the documents with the highest scores, best first.
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
    package struct Breakdown: Sendable, Hashable {
        /// The share of the words in the body.
        package var body: Float = 0
        /// The shares of the words in the other fields.
        package var fields: [TextField: Float] = [:]
        package var pairs: Float = 0
        /// The information of the words of the query that the document contains.
        var information: Float = 0
    }

    /// Returns the share of the query's information that the words of a document have: 1 for all words.
    package func coverage(of document: Breakdown) -> Float {
        information > 0 ? document.information / information : 0
    }

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
        breakdown.information += clause.weight
        breakdown.body += unit * body
        for field in match.fields.members {
            breakdown.fields[field, default: 0] += unit * TextScoring.frequency(of: field)
        }
    }
}

/// The formula by which documents are ranked by words: BM25F (Robertson, Zaragoza and Taylor 2004) with an
/// inverse document frequency that is never negative, and additional evidence for words that are adjacent in
/// the query and in the document.
///
/// The score is the sum over the query's words of w · f / (f + k1). Here w is the information of the word,
/// log(1 + (N - n + 0.5) / (n + 0.5)), where n of the N documents contain it in any field. The frequency f is
/// the number of occurrences in the body, divided by 1 - b + b · length / mean length, plus a constant for
/// each other field that contains the word. A pair of adjacent words that occurs p times adds half of the
/// mean information of its words times p / (p + 1).
enum TextScoring {
    /// The frequency of a word at which it contributes half of its information.
    static let k1: Float = 0.9
    /// The influence of the length of the body on the frequency: 0 for none, 1 for full normalization.
    static let b: Float = 0.3
    /// The maximum share of the information of two words that their adjacency adds.
    static let pairWeight: Float = 0.5

    static func frequency(of field: TextField) -> Float {
        switch field {
        case .title: 1.5
        case .headings, .path, .tags: 1
        case .body: 0
        }
    }

    /// Returns the factor by which the number of occurrences in a body is divided.
    @inline(__always)
    static func norm(_ length: Float, _ meanLength: Float) -> Float { 1 - b + b * length / meanLength }

    /// Returns the share of a word's information that a frequency contributes.
    @inline(__always)
    static func share(_ frequency: Float) -> Float { frequency / (frequency + k1) }

    @inline(__always)
    static func pairShare(_ occurrences: Float) -> Float { occurrences / (occurrences + 1) }

    @inline(__always)
    static func frequency(of fields: TextFieldSet) -> Float {
        fields.isEmpty ? 0 : frequencies[Int(fields.rawValue & 15)]
    }

    /// The frequency that each set of fields adds, by its raw value.
    private static let frequencies: [Float] = (0..<16).map { value in
        TextFieldSet(rawValue: UInt8(value)).members.reduce(0) { $0 + frequency(of: $1) }
    }

    static func information(_ count: Int, of documents: Int) -> Float {
        let rarity = (Double(documents) - Double(count) + 0.5) / (Double(count) + 0.5)
        return Float(logarithm(1 + rarity))
    }
}

package struct TextMatch: Sendable, Hashable {
    package var part: Int
    package var document: Int
    package var score: Float
}

struct BestMatches {
    private let limit: Int
    private let precedes: (TextMatch, TextMatch) -> Bool
    /// The best candidates so far, unsorted, and some worse ones. They are sorted and cut to `limit` only
    /// after their number has at least doubled.
    private var matches: [TextMatch] = []
    /// The score below which a candidate is not kept. Initially the smallest positive number, because
    /// documents without any of the words have a score of 0.
    private(set) var threshold = Float.leastNonzeroMagnitude

    init(_ limit: Int, precedes: @escaping (TextMatch, TextMatch) -> Bool) {
        (self.limit, self.precedes) = (limit, precedes)
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
