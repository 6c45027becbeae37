import Foundation
import RoostText
import RoostVectors

/// The formula that combines the evidence of meaning and of words into one score.
///
/// The evidence of meaning is how far the cosine of the query and the text exceeds that of random pairs of
/// passages, in standard deviations, raised to a power. The evidence of words is the score by words (BM25F),
/// divided by the square root of the information of the query, so that long queries do not outweigh their
/// meaning. The score of a text is its evidence relative to the greatest possible evidence (decision 15).
struct Relevance: Sendable {
    static let exponent: Float = 1.75
    private static let wordsWeight: Float = 5
    /// The share of the whole entry in its cosine; the nearest passage has the rest.
    private static let entryShare: Float = 0.3
    /// The share of the evidence that a text lacks to equal the query, which it gets if its title is the query.
    private static let titleShare: Float = 0.5
    /// The noise level: the number of deviations above the mean of random pairs that the cosine of an
    /// unrelated text rarely reaches.
    private static let noiseLevel: Float = 2

    private let statistics: PairStatistics
    private let usesVectors: Bool
    private let textWeight: Float
    private let entryShare: Float
    /// Whether the cosine of the whole entry replaces that of the nearest passage if it is higher.
    private let comparesWholeEntries: Bool
    private let scale: Float
    private var exactEvidence: Float = 1

    init(_ plan: QueryPlan, _ statistics: PairStatistics, words: TextScores?) {
        self.statistics = statistics
        usesVectors = plan.usesVectors
        textWeight = words == nil ? 0 : plan.search.textWeight * Self.wordsWeight
        entryShare = textWeight > 0 ? Self.entryShare : 0
        comparesWholeEntries = plan.comparesWholeEntries
        scale = max(words?.information ?? 0, .leastNormalMagnitude).squareRoot()
        let exact = evidence(passage: 1, entry: 1, words: words?.maximumScore ?? 0)
        exactEvidence = max(exact.total, .leastNormalMagnitude)
    }

    /// Raises the absolute value of a number to a power, and keeps the sign of the number.
    static func power(_ value: Float, _ exponent: Float = exponent) -> Float {
        (value < 0 ? -1 : 1) * pow(abs(value), exponent)
    }

    struct Evidence: Sendable {
        var meaning: Float
        var words: Float

        var total: Float { meaning + words }
    }

    func evidence(passage: Float?, entry: Float?, correction: Float = 0, words: Float) -> Evidence {
        var meaning: Float = 0
        if let passage, usesVectors {
            let cosine = cosine(passage: passage, entry: entry) - (textWeight > 0 ? correction : 0)
            meaning = Self.power((cosine - statistics.mean) / statistics.deviation)
        }
        return Evidence(meaning: meaning, words: textWeight > 0 ? textWeight * words / scale : 0)
    }

    /// Returns candidates with their evidence, best first. If candidates are equally good, the one with the lower
    /// id comes first.
    func ranked(_ candidates: [Candidate]) -> [Candidate] {
        var candidates = candidates
        for index in candidates.indices {
            let candidate = candidates[index]
            var evidence = evidence(
                passage: candidate.passage?.score, entry: candidate.entryCosine,
                correction: candidate.correction, words: candidate.wordScore)
            if candidate.isTitled {
                evidence.words += Self.titleShare * max(0, exactEvidence - evidence.total)
            }
            candidates[index].evidence = evidence
        }
        return candidates.sorted { ($1.evidence.total, $0.id) < ($0.evidence.total, $1.id) }
    }

    private func cosine(passage: Float, entry: Float?) -> Float {
        guard let entry else { return passage }
        if comparesWholeEntries { return max(passage, entry) }
        return (1 - entryShare) * passage + entryShare * entry
    }

    /// Returns whether a cosine is above the noise level. In a store about one subject, where all pairs are
    /// similar, the usual distribution of other stores applies instead.
    func isClose(passage: Float?, entry: Float?) -> Bool {
        guard let passage, usesVectors else { return false }
        let levels = [statistics, .prior].map { $0.mean + Self.noiseLevel * $0.deviation }
        return cosine(passage: passage, entry: entry) >= min(levels[0], levels[1])
    }

    func relativeEvidence(_ evidence: Float) -> Float {
        min(Float(1).nextDown, max(0, evidence) / exactEvidence)
    }

    func explanation(
        of score: Float, _ evidence: Evidence, passage: Float, entry: Float?, _ words: TextScores.Breakdown?
    ) -> ScoreExplanation {
        var explanation = ScoreExplanation()
        let total = max(0, evidence.meaning) + max(0, evidence.words)
        guard score > 0, total > 0 else { return explanation }
        if evidence.meaning > 0 {
            let share = score * evidence.meaning / total
            let isWhole = comparesWholeEntries && entry.map { $0 > passage } ?? false
            let entryShare: Float = isWhole ? 1 : entry == nil ? 0 : self.entryShare
            explanation.passage = (1 - entryShare) * share
            explanation.entry = entryShare * share
        }
        if evidence.words > 0, let words {
            let fields = words.fields.values.reduce(0, +)
            let sum = max(words.body + fields + words.pairs, .leastNormalMagnitude)
            let unit = score * evidence.words / total / sum
            explanation.words = unit * words.body
            explanation.phrase = unit * words.pairs
            explanation.fields = words.fields.mapValues { unit * $0 }
        }
        return explanation
    }
}
