import Foundation
import RoostText
import RoostVectors

/// The formula that combines the evidence of meaning and of words into one score.
///
/// The evidence of meaning is the cosine of the query and the text. The evidence of words is the share of the score
/// by words (BM25F) in the greatest possible one, raised to the power of 3/4. The score is the weighted mean of
/// both (decision 15). Only the correction of hubs, and the place of an entry whose title is the query, depend on the
/// other candidates.
struct Relevance: Sendable {
    /// The noise level: the cosine of a query that unrelated texts rarely reach, with all-MiniLM-L6-v2 and with
    /// the built-in model that hashes words.
    private static let (noiseLevel, noiseLevelOfHashes): (Float, Float) = (0.515, 0.25)
    /// The weight of words if that of meaning is 1. It and the power of 3/4 were chosen from 12 pairs by leaving out
    /// one of six judged sets at a time: five times these, once 1.2 and 1/2.
    private static let weightOfWords: Float = 1.2
    /// The number of deviations below the mean cosine of pairs of passages at which the scale of cosines begins,
    /// unless that is below 0. Models such as multilingual-e5-small give all pairs of texts a cosine above 0.7.
    private static let baseDeviations: Float = 3

    private let usesVectors: Bool
    /// Whether the query has words that are searched.
    private let usesWords: Bool
    /// Whether the cosine of the whole entry replaces that of the nearest passage if it is higher.
    private let comparesWholeEntries: Bool
    private let noiseLevel: Float
    /// The cosine at which the scale begins.
    private let base: Float
    /// The greatest possible score by words.
    private let greatestWordScore: Float
    /// The evidence of a text that equals the query.
    private let exactEvidence: Float

    init(_ plan: QueryPlan, _ statistics: PairStatistics, words: TextScores?) {
        usesVectors = plan.usesVectors
        greatestWordScore = words?.maximumScore ?? 0
        usesWords = greatestWordScore > 0
        comparesWholeEntries = plan.comparesWholeEntries
        noiseLevel = plan.comparesHashes ? Self.noiseLevelOfHashes : Self.noiseLevel
        base = max(0, statistics.mean - Self.baseDeviations * statistics.deviation)
        exactEvidence = (usesVectors || !usesWords ? 1 : 0) + (usesWords ? Self.weightOfWords : 0)
    }

    struct Evidence: Sendable {
        var meaning: Float
        var words: Float

        var total: Float { meaning + words }
    }

    private func scaled(_ cosine: Float) -> Float { (cosine - base) / (1 - base) }

    /// Returns candidates with their evidence, best first. If candidates are equally good, the one with the lower
    /// id comes first.
    func ranked(_ candidates: [Candidate]) -> [Candidate] {
        var candidates = candidates
        for index in candidates.indices {
            let candidate = candidates[index]
            let share = usesWords ? candidate.wordScore / greatestWordScore : 0
            candidates[index].evidence = Evidence(
                meaning: cosine(of: candidate).map { scaled($0 - candidate.correction) } ?? 0,
                words: Self.weightOfWords * share.squareRoot() * share.squareRoot().squareRoot())
        }
        // A text whose title is the query precedes those with other titles.
        let best = candidates.lazy.filter { !$0.isTitled }.map(\.evidence.total).max() ?? 0
        let missing = max(0, exactEvidence - best)
        for index in candidates.indices where candidates[index].isTitled {
            let own = max(0, candidates[index].evidence.total)
            candidates[index].evidence.words += max(0, best + missing * own / exactEvidence - own)
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
        let cosine = max(0, scaled(cosine(of: candidate) ?? base)) / noiseLevel
        return cosine * cosine + coverage
    }

    /// Returns the score for an amount of evidence. Only a text that equals the query has the score 1.
    func score(of evidence: Evidence) -> Float {
        min(Float(1).nextDown, max(0, evidence.total) / exactEvidence)
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
