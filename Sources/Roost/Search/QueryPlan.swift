import RoostModel
import RoostText
import RoostVectors

/// A search whose subject has been turned into a vector and words.
struct QueryPlan: Sendable {
    /// The settings of the search.
    let search: EntrySearch
    /// The unit vector with which the passages are compared; empty if the model cannot embed or does not
    /// understand the query of a search that also compares words.
    var vector: [Float]
    /// The words to search for or to exclude; `nil` if only vectors are compared.
    var text: TextQuery?
    /// The rows of the entries among which the rarity of words is measured; `nil` for all.
    var countedRows: RowSet?
    /// The entries that are never hits, because they are the subject of the search.
    var excluded: Set<Entry.ID> = []
    /// The number of tokens of the query that exceeded the model's limit.
    var omittedTokens = 0
    /// Whether the query is a text or entries, so that whole entries are compared with it as well as their
    /// passages. An entry with several passages can equal such a query although none of its passages does.
    var comparesWholeEntries = false

    /// Whether words contribute to the scores. In a search by vectors, they can only exclude entries.
    var comparesWords: Bool { text != nil && search.mode != .vector }

    /// Whether the nearest vectors are searched for.
    var usesVectors: Bool { text == nil || search.mode != .text && !vector.isEmpty }

    /// Returns the number of hits that are needed before the offset is applied.
    ///
    /// - Parameter count: The number of entries in the store.
    func neededHits(of count: Int) -> Int {
        let end = max(0, search.limit).addingReportingOverflow(max(0, search.offset))
        return end.overflow ? count : min(count, end.partialValue)
    }

    /// Returns the length of each candidate list in the first stage.
    ///
    /// If lists are merged or ordered by whole entries, or hits are diversified, the length does not depend
    /// on the limit and the offset, so that consecutive pages of a result neither repeat nor omit a hit.
    ///
    /// - Parameter count: The number of entries in the store.
    func firstDepth(of count: Int) -> Int {
        guard !comparesWords, search.diversity == nil else { return Self.stage }
        guard !comparesWholeEntries else { return Self.stage + excluded.count }
        return Self.withMargin(neededHits(of: count)) + excluded.count
    }

    /// The length of each list in the first stage. 200 candidates are enough to fill nearly all results, even
    /// after near-duplicates are folded and the minimum score is applied.
    private static let stage = 200
    /// The factor by which the candidate lists grow from one stage to the next.
    static let stageGrowth = 4

    /// Returns a number of candidates that is slightly larger than needed. Scores of an index can differ from
    /// those of the storage in the last bits, and this difference must not decide which entries are in the
    /// result.
    static func withMargin(_ needed: Int) -> Int { needed + min(needed, 4) }

    /// The assumed maximum rounding error of scores from an index.
    private static let scoreTolerance: Float = 1e-3

    /// Returns whether the exact similarity of a candidate can reach the minimum similarity.
    func mayReachMinimumSimilarity(_ candidate: Candidate) -> Bool {
        guard let passage = candidate.passage?.score else { return true }
        var similarity = passage
        if comparesWholeEntries { similarity = max(passage, candidate.entryCosine ?? passage) }
        return similarity >= (search.minimumSimilarity ?? -.infinity) - Self.scoreTolerance
    }

    /// Returns whether the lists already extend to entries that cannot be hits. If they do, longer lists
    /// yield no further hits.
    func isExhausted(_ lists: CandidateLists, _ ranking: CandidateRanking) -> Bool {
        if let minimum = search.minimumSimilarity, usesVectors {
            if lists.nearest?.last.map({ $0.score < minimum - Self.scoreTolerance }) ?? true { return true }
        }
        let bound = ranking.bound(of: lists)
        if hasNoiseLevel, bound < Relevance.minimumEvidence - Self.scoreTolerance { return true }
        guard let minimum = search.minimumScore else { return false }
        return ranking.relevance.score(bound) < minimum - Self.scoreTolerance
    }

    /// Whether the noise level decides if any entry is close to the query.
    var judgesNoise: Bool {
        guard search.mode == .hybrid, let text else { return false }
        return !text.requiresWords
    }

    /// Whether hits that are not closer to the query than unrelated text are omitted.
    var hasNoiseLevel: Bool { judgesNoise && !search.includesAll && search.minimumScore == nil }
}
