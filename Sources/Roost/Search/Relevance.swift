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
    /// The share of the evidence that a text lacks to equal the query, which it gets if its title is the query.
    private static let titleShare: Float = 0.5
    /// The noise level: the cosine of a query that unrelated texts rarely reach, with all-MiniLM-L6-v2 and with
    /// the built-in model that hashes words.
    private static let (noiseLevel, noiseLevelOfHashes): (Float, Float) = (0.45, 0.25)
    /// The number of deviations below the mean at which the scale of the noise level begins, unless that is below 0.
    /// Models such as multilingual-e5-small give all pairs of texts a cosine above 0.7.
    private static let baseDeviations: Float = 3

    private let statistics: PairStatistics
    private let usesVectors: Bool
    private let textWeight: Float
    /// Whether the cosine of the whole entry replaces that of the nearest passage if it is higher.
    private let comparesWholeEntries: Bool
    private let noiseLevel: Float
    private let scale: Float
    private var exactEvidence: Float = 1

    init(_ plan: QueryPlan, _ statistics: PairStatistics, words: TextScores?) {
        self.statistics = statistics
        usesVectors = plan.usesVectors
        textWeight = words == nil ? 0 : plan.search.textWeight * Self.wordsWeight
        comparesWholeEntries = plan.comparesWholeEntries
        noiseLevel = plan.comparesHashes ? Self.noiseLevelOfHashes : Self.noiseLevel
        scale = max(words?.information ?? 0, .leastNormalMagnitude).squareRoot()
        let exact = evidence(cosine: usesVectors ? 1 : nil, words: words?.maximumScore ?? 0)
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

    private func evidence(cosine: Float?, correction: Float = 0, words: Float) -> Evidence {
        var meaning: Float = 0
        if let cosine {
            let corrected = cosine - (textWeight > 0 ? correction : 0)
            meaning = Self.power((corrected - statistics.mean) / statistics.deviation)
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
                cosine: cosine(of: candidate), correction: candidate.correction, words: candidate.wordScore)
            if candidate.isTitled {
                evidence.words += Self.titleShare * max(0, exactEvidence - evidence.total)
            }
            candidates[index].evidence = evidence
        }
        return candidates.sorted { ($1.evidence.total, $0.id) < ($0.evidence.total, $1.id) }
    }

    /// Returns the cosine of the nearest passage, or of the whole entry; `nil` if vectors are not compared.
    private func cosine(of candidate: Candidate) -> Float? {
        guard usesVectors, let passage = candidate.passage?.score else { return nil }
        return comparesWholeEntries ? max(passage, candidate.entryCosine ?? passage) : passage
    }

    /// Returns the square of the cosine relative to the noise level, plus the share of the query's information
    /// that the words of the text have. Unlike the score, it depends on the other entries' vectors only if nearly all
    /// pairs of them are similar.
    func closeness(of candidate: Candidate, coverage: Float) -> Float {
        let base = max(0, statistics.mean - Self.baseDeviations * statistics.deviation)
        let cosine = ((cosine(of: candidate) ?? 0) - base) / (1 - base)
        return Self.power(max(0, cosine) / noiseLevel, 2) + coverage
    }

    func relativeEvidence(_ evidence: Float) -> Float {
        min(Float(1).nextDown, max(0, evidence) / exactEvidence)
    }

    func explanation(
        of score: Float, for candidate: Candidate, _ words: TextScores.Breakdown?
    ) -> ScoreExplanation {
        var explanation = ScoreExplanation()
        let evidence = candidate.evidence
        let total = max(0, evidence.meaning) + max(0, evidence.words)
        guard score > 0, total > 0 else { return explanation }
        if evidence.meaning > 0 {
            let share = score * evidence.meaning / total
            let isWhole = cosine(of: candidate) != candidate.passage?.score
            (explanation.passage, explanation.entry) = isWhole ? (0, share) : (share, 0)
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
