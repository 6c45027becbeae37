import RoostFiles
import RoostIndexes
import RoostModel
import RoostText
import RoostVectors

/// The best entries by vector and by words, with at most `depth` entries in each list.
struct CandidateLists {
    /// The entries with the nearest passages, nearest first; `nil` if vectors are not searched.
    var nearest: [PassageContents.Hit]?
    /// The best entries by words, best first; `nil` if words are not searched.
    var worded: [TextContents.Hit]?
    /// The maximum length of each list.
    var depth: Int

    /// Whether neither list was cut off at `depth`. If so, longer lists would contain the same entries.
    var areComplete: Bool { (nearest?.count ?? 0) < depth && (worded?.count ?? 0) < depth }
}

/// The nearest passages for one query, found together with those of other queries.
struct PrecomputedHits: Sendable {
    var depth: Int
    var hits: [PassageContents.Hit]
}

/// The step that produces candidates: it searches the derived indexes for one planned query.
struct CandidateSource: Sendable {
    private let plan: QueryPlan
    private let passages: PassageContents
    private let words: TextContents?
    private let precomputed: PrecomputedHits?
    /// The rows of the entries that may be found; `nil` for all.
    let allowed: RowSet?

    /// Creates the source for a query.
    ///
    /// - Parameters:
    ///   - words: The words of the store; `nil` if the plan has no words.
    ///   - filtered: The rows of the entries that match the search's filter; `nil` for all.
    ///   - precomputed: The nearest passages among `filtered`, if they are known. They are not used if the
    ///     query requires or excludes words.
    init(
        for plan: QueryPlan, in passages: PassageContents, _ words: TextContents?, filtered: RowSet?,
        precomputed: PrecomputedHits?
    ) async throws {
        self.plan = plan
        self.passages = passages
        self.words = words
        self.precomputed = plan.text?.isSelective == true ? nil : precomputed
        var allowed = filtered
        if let text = plan.text, let words, let matching = try await words.allowed(by: text) {
            // The word index may describe a newer or older state of the store than the snapshot. An entry
            // that the snapshot does not have is dropped when candidates are resolved.
            allowed?.formIntersection(matching)
            allowed = allowed ?? matching
        }
        self.allowed = allowed
    }

    /// Returns the best `depth` entries by vector and by words.
    ///
    /// - Throws: ``IndexFault`` if an index is corrupt.
    func lists(depth: Int) async throws -> CandidateLists {
        var lists = CandidateLists(depth: depth)
        if plan.usesVectors {
            if let precomputed, precomputed.depth == depth {
                lists.nearest = precomputed.hits
            } else {
                lists.nearest = try await Self.nearest([plan], k: depth, among: allowed, in: passages)[0]
            }
        }
        if let text = plan.text, let words {
            lists.worded = try await words.search(text, k: depth, among: allowed)
        }
        return lists
    }

    /// Returns, for each plan, the `k` entries with the nearest passages.
    ///
    /// - Parameter plans: Plans with the same settings.
    /// - Throws: ``IndexFault`` if an index is corrupt.
    static func nearest(
        _ plans: [QueryPlan], k: Int, among allowed: RowSet?, in passages: PassageContents
    ) async throws -> [[PassageContents.Hit]] {
        guard let first = plans.first else { return [] }
        let queries = Matrix(plans.map(\.vector), columns: first.vector.count)
        do {
            return try await passages.search(queries, k: k, among: allowed, isExact: first.search.isExact)
        } catch let error as GraphIndex.Damaged {
            throw IndexFault.corruptGraph(error.description)
        } catch let error as SectionFile.Unusable where passages.isMapped {
            throw IndexFault.corruptVectors(error.description)
        }
    }
}
