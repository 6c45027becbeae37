import RoostModel
import RoostText

/// The last steps of one planned search: candidates from the indexes (``CandidateSource``), their ranking
/// (``Relevance``), hits with their entries (``HitResolver``), the page of the result.
struct SearchRun: Sendable {
    let plan: QueryPlan
    let vectors: SearchVectors
    /// The words of the store; `nil` if the plan needs none.
    let words: TextContents?
    let snapshot: any StorageSnapshot
    /// The rows of the entries that match the filter; `nil` for all, or if only the database applies the
    /// filter.
    let filtered: RowSet?
    /// The nearest entries, if they have been found together with those of other searches.
    var nearest: [PassageContents.Hit]?

    /// Runs the search.
    ///
    /// - Throws: ``IndexFault`` if an index turns out to be corrupt or to have been built from other
    ///   contents; `StorageError`; `CancellationError`.
    func result() async throws -> QueryResult {
        let count = snapshot.stamp.entryCount
        let needed = plan.neededHits(of: count)
        let allowed = try await allowed()
        var result = QueryResult(
            hits: [], stamp: snapshot.stamp,
            candidateCount: allowed?.count ?? max(0, count - plan.excluded.count),
            omittedTokens: plan.omittedTokens, notices: notices, text: plan.text)
        guard needed > 0, allowed?.isEmpty != true else {
            result.isNoise = plan.judgesNoise
            return result
        }
        var scores: WordScores?
        if let text = plan.text, let words, plan.comparesWords {
            scores = try await words.scores(for: text, among: plan.visibleRows)
        }
        let found = try await CandidateSource(plan: plan, vectors: vectors, words: scores, allowed: allowed)
            .candidates(
                depth: plan.depth(of: count), nearest: plan.text?.isSelective == true ? nil : nearest)
        if let databasePlan = found.databasePlan, allowed == nil, !plan.search.filter.matchesAll {
            result.candidateCount = databasePlan.matchingEntries
        }
        result.databasePlan = found.databasePlan
        let relevance = Relevance(plan, vectors.statistics, words: scores?.scores)
        let ranking = relevance.ranked(found.candidates.filter { !plan.excluded.contains($0.id) })
        let hits = try await HitResolver(plan: plan, relevance: relevance, words: scores, snapshot: snapshot)
            .hits(max(needed, Self.judgedCount), of: ranking)
        page(hits, needed, &result)
        return result
    }

    /// Returns the rows of the entries that match the filter and the conditions of the query; `nil` for all.
    private func allowed() async throws -> RowSet? {
        guard let text = plan.text, let words, let matching = try await words.allowed(by: text) else {
            return filtered
        }
        guard var rows = filtered else { return matching }
        rows.formIntersection(matching)
        return rows
    }

    /// The number of best hits that decide whether a result is noise, which must not depend on the limit, and
    /// the maximum number of hits in ``QueryResult/nearest``.
    private static let (judgedCount, nearestCount) = (20, 3)

    /// Decides whether the hits are noise, and adds those of the page to the result.
    private func page(_ hits: [QueryHit], _ needed: Int, _ result: inout QueryResult) {
        result.isNoise = plan.judgesNoise && !hits.prefix(Self.judgedCount).contains(where: \.isClose)
        if result.isNoise, plan.hasNoiseLevel {
            result.nearest = Array(hits.prefix(Self.nearestCount))
            return
        }
        // In a store of similar texts, the score of an entry with all words can be 0.
        let shown = plan.hasNoiseLevel ? hits.filter { $0.score > 0 || $0.isClose } : hits
        result.hits = Array(shown.prefix(needed).dropFirst(max(0, plan.search.offset)))
    }

    private var notices: [SearchNotice] {
        var notices = [vectors.index?.notice, words?.notice].compactMap(\.self)
        // A problem that concerns both indexes is reported once.
        if notices.count == 2, notices[0] == notices[1] { notices.removeLast() }
        if let incomparable = vectors.index?.incomparable, incomparable > 0 {
            notices.append(
                SearchNotice(
                    Count.text(incomparable, "passage has a vector", "passages have vectors")
                        + " with numbers that are not finite; searches by meaning do not find "
                        + (incomparable == 1 ? "it" : "them"), remedy: .inspectStore))
        }
        if let text = plan.text, text.omittedWords > 0 {
            notices.append(
                SearchNotice(
                    "the query has more than \(TextQuery.maximumClauses) different words; its last "
                        + "\(Count.text(text.omittedWords, "word was", "words were")) ignored"))
        }
        return notices
    }
}
