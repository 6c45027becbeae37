import RoostModel
import RoostText

/// A search whose query has been parsed. The steps of a search add what they find out: corrections, then the
/// vector.
struct QueryPlan: Sendable {
    let search: EntrySearch
    /// The vector that entries are compared with; empty before it is computed, and if the model does not know
    /// any word of the query.
    var vector: [Float] = []
    /// The parsed query; `nil` for searches for documents, entries or vectors.
    var text: TextQuery?
    /// The rows of the entries that the caller may see; `nil` for all.
    var visibleRows: RowSet?
    /// The entries that the result must not contain.
    var excluded: Set<Entry.ID> = []
    var omittedTokens = 0
    /// Whether the cosines of whole entries count, not only those of their passages.
    var comparesWholeEntries = false

    /// Whether words contribute to the ranking.
    var comparesWords: Bool { text != nil && search.mode != .vector }

    /// Whether the index of words is needed.
    var usesWords: Bool { comparesWords || text?.isSelective == true }

    /// Whether vectors contribute to the ranking.
    var usesVectors: Bool { text == nil || search.mode != .text && !vector.isEmpty }

    /// The number of hits up to the end of the result.
    func neededHits(of count: Int) -> Int {
        let end = max(0, search.limit).addingReportingOverflow(max(0, search.offset))
        return end.overflow ? count : min(count, end.partialValue)
    }

    /// The minimum number of entries in each list of candidates whose order the lists do not determine.
    private static let minimumDepth = 200
    /// The number of candidates in addition to the hits, because some may just have been removed.
    private static let margin = 4

    /// Returns the maximum number of entries in each list of candidates.
    ///
    /// - Parameter count: The number of entries of the store.
    func depth(of count: Int) -> Int {
        let needed = neededHits(of: count)
        let isOrdered =
            !comparesWords && !comparesWholeEntries && search.diversity == nil
            && search.duplicateThreshold == nil
        return (isOrdered ? needed + Self.margin : max(Self.minimumDepth, 2 * needed)) + excluded.count
    }

    /// Whether a result without a close entry is noise. A text with a required phrase or word is an answer.
    var judgesNoise: Bool { search.mode == .hybrid && text?.requiresWords == false }

    /// Whether noise is left out of the result.
    var hasNoiseLevel: Bool { judgesNoise && !search.includesAll && search.minimumScore == nil }
}
