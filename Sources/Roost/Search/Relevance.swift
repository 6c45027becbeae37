import Foundation
import RoostText

/// The formula that combines the evidence for an entry into one score.
///
/// The evidence of meaning is the number of standard deviations by which the cosine exceeds the mean of
/// random pairs (``PairStatistics``), raised to the power of 1.75: a cosine that is twice as far above the
/// mean is more than twice as informative. The evidence of words is their BM25F score, divided by the square
/// root of the information of the query. Without the division, the words of long queries, many of which occur
/// in most texts, would outweigh the meaning. Decision 15 explains the choice.
///
/// In a search by meaning and by words, cosines are corrected first (``CosineCorrection``).
///
/// The score is the sum divided by the evidence of a text that equals the query, raised to the inverse power.
/// If only vectors are compared, this is the cosine, rescaled so that the mean of random pairs is 0. If the
/// query is a text or entries, the cosine is the higher one of that of the nearest passage and that of the
/// whole entry (``QueryPlan/comparesWholeEntries``).
struct Relevance: Sendable {
    /// The exponent of the evidence of meaning.
    private static let exponent: Float = 1.75
    /// The weight of the evidence of words.
    private static let wordsWeight: Float = 5
    /// The share of the cosine of the whole entry. The rest is the share of its nearest passage.
    private static let entryShare: Float = 0.3
    /// The score that the best hit must reach for a result to be more than noise. In measurements with six
    /// data sets, 99% of the judged answers were in results above this score.
    static let noiseLevel: Float = 0.3
    /// The number of standard deviations above the mean of unrelated texts that the cosine of a close entry
    /// reaches at least. In measurements with four data sets, no query with a judged answer had only entries
    /// below it, and 39 of 40 everyday questions to a store of programming notes had.
    private static let closeDeviations: Float = 1.75
    /// The share of the information of a query's words that makes an entry close, even if its cosine is not
    /// above that of unrelated texts: names and identifiers have little meaning for a model.
    private static let closeCoverage: Float = 0.8
    /// The number of hits with a score above 0 after which hits with a score of 0 may follow. Among the first
    /// 100 hits, almost no judged answer has a score of 0; in longer lists, up to 3.5% of them do, because
    /// the passages of a store about one subject are more similar to each other than to a short query.
    static let longList = 100
    /// The minimum evidence for a hit with a score of 0 in a long list. An entry with less evidence usually
    /// contains none of the words, and its cosine is more than a standard deviation below the mean of random
    /// pairs.
    static let minimumEvidence: Float = -1

    private let statistics: PairStatistics
    private let vectorWeight: Float
    private let textWeight: Float
    private let entryShare: Float
    /// Whether the cosine of the whole entry replaces that of the nearest passage if it is higher.
    private let comparesWholeEntries: Bool
    /// The square root of the information of the query.
    private let scale: Float
    /// The evidence of a text that equals the query.
    private var exactEvidence: Float
    /// The vector of the query.
    private let query: [Float]
    /// The evidence of the words of a text that equals the query.
    private let exactWords: Float
    /// The correction of cosines; `nil` if only vectors or only words are compared.
    private(set) var correction: CosineCorrection?

    /// Creates the formula for a query.
    ///
    /// - Parameter words: The scores by words; `nil` if only vectors are compared.
    init(_ plan: QueryPlan, _ statistics: PairStatistics, words: TextScores?) {
        self.statistics = statistics
        vectorWeight = words == nil ? 1 : plan.usesVectors ? plan.search.vectorWeight : 0
        textWeight = words == nil ? 0 : plan.search.textWeight * Self.wordsWeight
        entryShare = textWeight > 0 ? Self.entryShare : 0
        comparesWholeEntries = plan.comparesWholeEntries
        scale = max(words?.information ?? 0, .leastNormalMagnitude).squareRoot()
        exactWords = textWeight * (words?.exactScore ?? 0) / scale
        query = plan.vector
        exactEvidence = 0
        correct(entryShare > 0 && vectorWeight > 0 ? CosineCorrection() : nil)
    }

    /// Sets the correction of cosines, and the evidence that depends on it.
    private mutating func correct(_ correction: CosineCorrection?) {
        self.correction = correction
        let exact = evidence(passage: 1, entry: 1, projection(of: query), words: 0).meaning
        exactEvidence = max(exact + exactWords, .leastNormalMagnitude)
    }

    /// Returns the formula with the feedback of the best entries. Without a correction, returns the same
    /// formula.
    func addingFeedback(of best: [(vector: [Float], weight: Float)]) -> Relevance {
        var result = self
        result.correct(correction.map { _ in CosineCorrection(feedback: best) })
        return result
    }

    /// The formula without feedback.
    var withoutFeedback: Relevance {
        guard correction?.isEffective == true else { return self }
        var result = self
        result.correct(CosineCorrection())
        return result
    }

    /// Returns the cosine of an entry with the best entries; `nil` without a correction.
    func projection(of vector: [Float]) -> Float? { correction?.projection(of: vector) }

    /// Raises the absolute value of a number to a power, and keeps the sign of the number.
    private static func power(_ value: Float, _ exponent: Float = exponent) -> Float {
        (value < 0 ? -1 : 1) * pow(abs(value), exponent)
    }

    /// The evidence for one entry.
    struct Evidence: Sendable {
        /// The evidence of the cosine of the query and the text.
        var meaning: Float
        /// The evidence of the words.
        var words: Float

        var total: Float { meaning + words }
    }

    /// Returns the evidence for an entry.
    ///
    /// - Parameters:
    ///   - passage: The cosine of the nearest passage; `nil` for an entry without vectors.
    ///   - entry: The cosine of the whole entry; `nil` if it is unknown.
    ///   - projection: The cosine of the entry with the best entries; `nil` if it is unknown.
    ///   - words: The score by words.
    func evidence(
        passage: Float?, entry: Float?, _ projection: Float? = nil, words: Float
    ) -> Evidence {
        var meaning: Float = 0
        if let passage, vectorWeight > 0 {
            var cosine = cosine(passage: passage, entry: entry)
            if let correction { cosine = correction.corrected(cosine, projection) }
            meaning = vectorWeight * Self.power((cosine - statistics.mean) / statistics.deviation)
        }
        return Evidence(meaning: meaning, words: textWeight > 0 ? textWeight * words / scale : 0)
    }

    /// Returns the cosine of an entry, from those of its nearest passage and of the whole entry.
    private func cosine(passage: Float, entry: Float?) -> Float {
        if isWholeNearer(passage, entry), let entry { return entry }
        return (1 - entryShare) * passage + entryShare * (entry ?? passage)
    }

    /// Returns whether the cosine of the whole entry counts instead of that of its nearest passage.
    private func isWholeNearer(_ passage: Float, _ entry: Float?) -> Bool {
        comparesWholeEntries && entry.map { $0 > passage } ?? false
    }

    /// Returns the evidence for an entry relative to that for a text that equals the query, from 0 to 1.
    func relativeEvidence(_ evidence: Float) -> Float { min(1, max(0, evidence) / exactEvidence) }

    /// Returns the score, from 0 to 1.
    static func score(ofRelativeEvidence evidence: Float) -> Float {
        min(1, power(max(0, evidence), 1 / exponent))
    }

    /// Returns the score of an entry, from 0 to 1.
    func score(_ evidence: Float) -> Float {
        Self.score(ofRelativeEvidence: relativeEvidence(evidence))
    }

    /// Returns whether an entry with a score above the noise level is close to the query. One rare word of a
    /// longer query can lift the score of an unrelated entry above this level, so the entry must also have
    /// some of the meaning, or most of the words.
    ///
    /// Unrelated texts are those of the store, or those of many stores if their cosines are lower: in a store
    /// about one subject, all texts are similar to each other.
    ///
    /// - Parameters:
    ///   - passage: The cosine of the nearest passage; `nil` for an entry without vectors.
    ///   - entry: The cosine of the whole entry; `nil` if it is unknown.
    ///   - coverage: The share of the information of the query's words that the entry contains.
    func isClose(passage: Float?, entry: Float?, coverage: Float) -> Bool {
        guard vectorWeight > 0 else { return true }
        let isCovered = coverage >= Self.closeCoverage
        return reaches(isCovered ? 0 : Self.closeDeviations, passage: passage, entry: entry) ?? isCovered
    }

    /// Returns whether an entry with all words of a query in different places is an answer. A long text
    /// contains the words of a short question by chance, so its cosine must not be below that of unrelated
    /// texts.
    func isAnswer(passage: Float?, entry: Float?) -> Bool {
        reaches(0, passage: passage, entry: entry) ?? true
    }

    /// Returns whether the cosine of an entry is some deviations above the mean of unrelated texts; `nil` if
    /// it is unknown.
    private func reaches(_ deviations: Float, passage: Float?, entry: Float?) -> Bool? {
        guard vectorWeight > 0, let passage else { return nil }
        let cosine = cosine(passage: passage, entry: entry)
        let levels = [statistics, .prior].map { $0.mean + deviations * $0.deviation }
        return cosine >= min(levels[0], levels[1])
    }

    /// Returns the shares of a score.
    func explanation(
        of score: Float, _ evidence: Evidence, passage: Float, entry: Float?, _ words: TextScores.Breakdown?
    ) -> ScoreExplanation {
        var explanation = ScoreExplanation()
        let total = max(0, evidence.meaning) + max(0, evidence.words)
        guard score > 0, total > 0 else { return explanation }
        if evidence.meaning > 0 {
            let share = score * evidence.meaning / total
            guard !isWholeNearer(passage, entry) else {
                explanation.entry = share
                return explanation
            }
            let ofPassage = (1 - entryShare) * max(0, passage - statistics.mean)
            let ofEntry = entryShare * max(0, (entry ?? passage) - statistics.mean)
            // If both cosines are below the mean, the evidence comes from the correction of the passage
            // cosine.
            let sum = ofPassage + ofEntry
            explanation.passage = sum > 0 ? share * ofPassage / sum : share
            explanation.entry = sum > 0 ? share * ofEntry / sum : 0
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
