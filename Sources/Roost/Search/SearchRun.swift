import RoostModel
import RoostText

/// One planned search of one snapshot.
///
/// The data flows one way: the plan, candidates from the indexes (``CandidateSource``), one ranking
/// (``RankFusion``), hits with their entries (``HitResolver``), the result (``HitAssembly``). If the result
/// has too few hits, because candidates were folded or are below the minimum score, another stage runs the
/// same steps with longer lists. Hits of a later stage follow those of an earlier one.
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
        let source = try await CandidateSource(
            for: plan, in: passages, words, filtered: filtered, precomputed: precomputed)
        let count = snapshot.stamp.entryCount
        let needed = plan.neededHits(of: count)
        var hits: [QueryHit] = []
        if needed > 0, source.allowed?.isEmpty != true { hits = try await self.hits(needed, from: source) }
        for index in hits.indices { hits[index].rank = index + 1 }
        var result = QueryResult(
            hits: Array(hits.prefix(needed).dropFirst(max(0, plan.search.offset))), stamp: snapshot.stamp,
            candidateCount: source.allowed?.count ?? max(0, count - plan.excluded.count),
            omittedTokens: plan.omittedTokens)
        result.notices = notices
        result.text = plan.text
        return result
    }

    private func hits(_ needed: Int, from source: CandidateSource) async throws -> [QueryHit] {
        let fusion = RankFusion(plan)
        let resolver = HitResolver(
            plan: plan, snapshot: snapshot, passagesRevision: passages.revision,
            wordsRevision: words?.revision)
        var assembly = HitAssembly(plan, needed: needed)
        var seen = plan.excluded
        var depth = plan.firstDepth(of: snapshot.stamp.entryCount)
        let maximumDepth = snapshot.stamp.entryCount + plan.excluded.count
        while true {
            try Task.checkCancellation()
            let lists = try await source.lists(depth: depth)
            let ranking = fusion.ranking(of: lists)
            var rest = ranking.filter { seen.insert($0.id).inserted }[...]
            while !rest.isEmpty, !assembly.isComplete {
                let part = rest.prefix(assembly.partSize)
                rest = rest.dropFirst(part.count)
                try assembly.add(try await resolver.hits(for: part.filter(plan.mayReachMinimumScore)))
            }
            try assembly.endStage()
            if assembly.isComplete || lists.areComplete || plan.isBelowMinimumScore(ranking)
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
                    "\(passages.incomparable) passages have vectors with numbers that are not finite; they "
                        + "cannot be found by meaning", remedy: .inspectStore))
        }
        if let text = plan.text, text.omittedWords > 0 {
            notices.append(
                SearchNotice(
                    "the query has more than \(TextQuery.maximumClauses) different words; its last "
                        + "\(text.omittedWords) words were not searched for"))
        }
        return notices
    }
}
