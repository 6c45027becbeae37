import RoostModel
import RoostText

/// One planned search of one snapshot.
///
/// The data flows one way: the plan, candidates from the indexes (``CandidateSource``), one ranking
/// (``CandidateRanking``), hits with their entries (``HitResolver``), the result (``HitAssembly``). If the
/// result has too few hits, because candidates were folded or are below the minimum score, another stage runs
/// the same steps with longer lists. Hits of a later stage follow those of an earlier one.
struct SearchRun: Sendable {
    let plan: QueryPlan
    let passages: PassageContents
    /// The words of the store; `nil` if the plan has no words.
    let words: TextContents?
    let snapshot: any StorageSnapshot
    /// The rows of the entries that match the filter; `nil` for all.
    let filtered: RowSet?
    /// The nearest passages, if they have been found together with those of other searches.
    var precomputed: PrecomputedHits?

    /// Runs the search.
    ///
    /// - Throws: ``IndexFault`` if an index turns out to be corrupt or to have been built from other
    ///   contents; `StorageError`; `CancellationError`.
    func result() async throws -> QueryResult {
        var filtered = filtered
        if let text = plan.text, let words, let fields = FieldFilter(text, words, in: snapshot) {
            filtered = try await fields.rows(among: filtered)
        }
        let source = try await CandidateSource(
            for: plan, in: passages, words, filtered: filtered, precomputed: precomputed)
        let count = snapshot.stamp.entryCount
        let needed = plan.neededHits(of: count)
        let relevance = Relevance(plan, passages.statistics, words: source.wordScores?.scores)
        var hits: [QueryHit] = []
        if needed > 0, source.allowed?.isEmpty != true {
            // Whether the result is noise must not depend on the limit and the offset.
            let count = plan.hasNoiseLevel ? max(needed, Self.judgedCount) : needed
            hits = try await self.hits(count, from: source, relevance)
        }
        for index in hits.indices { hits[index].rank = index + 1 }
        var nearest: [QueryHit] = []
        let judged = hits.prefix(Self.judgedCount)
        if plan.hasNoiseLevel, !judged.contains(where: { $0.uncorrectedScore >= Relevance.noiseLevel }) {
            if judged.contains(where: \.hasAllWords) {
                // A text that contains all words of the query is an answer, even if the words are frequent.
                hits = hits.filter(\.hasAllWords)
            } else {
                nearest = Array(hits.prefix(Self.nearestCount))
                hits = []
            }
            for index in hits.indices { hits[index].rank = index + 1 }
        }
        var result = QueryResult(
            hits: Array(hits.prefix(needed).dropFirst(max(0, plan.search.offset))), nearest: nearest,
            noiseLevel: plan.hasNoiseLevel ? Relevance.noiseLevel : 0, stamp: snapshot.stamp,
            candidateCount: source.allowed?.count ?? max(0, count - plan.excluded.count),
            omittedTokens: plan.omittedTokens)
        result.notices = notices
        result.text = plan.text
        return result
    }

    /// The number of best hits that decide whether a result is noise.
    private static let judgedCount = 25
    /// The number of hits in ``QueryResult/nearest``.
    private static let nearestCount = 3

    private func hits(
        _ needed: Int, from source: CandidateSource, _ relevance: Relevance
    ) async throws -> [QueryHit] {
        let order = CandidateRanking(plan, relevance)
        let resolver = HitResolver(
            plan: plan, relevance: relevance, words: source.wordScores, snapshot: snapshot,
            passagesRevision: passages.revision,
            wordsRevision: words?.revision)
        var assembly = HitAssembly(plan, needed: needed)
        var seen = plan.excluded
        var depth = plan.firstDepth(of: snapshot.stamp.entryCount)
        let maximumDepth = snapshot.stamp.entryCount + plan.excluded.count
        while true {
            try Task.checkCancellation()
            let lists = try await source.lists(depth: depth)
            let ranking = order.ranking(of: lists)
            var rest = ranking.filter { seen.insert($0.id).inserted }[...]
            while !rest.isEmpty, !assembly.isComplete {
                let part = rest.prefix(assembly.partSize)
                rest = rest.dropFirst(part.count)
                try assembly.add(try await resolver.hits(for: part.filter(plan.mayReachMinimumSimilarity)))
            }
            try assembly.endStage()
            if assembly.isComplete || lists.areComplete || plan.isExhausted(lists, order)
                || depth >= maximumDepth
            {
                return assembly.hits
            }
            depth = min(depth * QueryPlan.stageGrowth, maximumDepth)
        }
    }

    private var notices: [SearchNotice] {
        var notices = [passages.notice, words?.notice].compactMap(\.self)
        // A problem that concerns both indexes is reported once.
        if notices.count == 2, notices[0] == notices[1] { notices.removeLast() }
        if passages.incomparable > 0 {
            notices.append(
                SearchNotice(
                    "\(passages.incomparable) passages have vectors that are not finite; searches by meaning "
                        + "do not find them", remedy: .inspectStore))
        }
        if let text = plan.text, text.omittedWords > 0 {
            notices.append(
                SearchNotice(
                    "the query has more than \(TextQuery.maximumClauses) different words; its last "
                        + "\(text.omittedWords) words were ignored"))
        }
        return notices
    }
}
