import RoostModel
import RoostText

/// One planned search of one snapshot.
///
/// The data flows one way: the plan, candidates from the indexes (``CandidateSource``), one ranking
/// (``CandidateRanking``), hits with their entries (``HitResolver``), the result (``HitAssembly``). If the
/// result has too few hits, because candidates were folded or are below the minimum score, another stage runs
/// the same steps with longer lists (``HitFinder``). Hits of a later stage follow those of an earlier one.
struct SearchRun: Sendable {
    private(set) var plan: QueryPlan
    let vectors: SearchVectors
    /// The words of the store; `nil` if the plan has no words.
    let words: TextContents?
    let snapshot: any StorageSnapshot
    /// The rows of the entries that match the filter; `nil` for all, or if only the database applies the
    /// filter.
    let filtered: RowSet?
    /// The nearest passages, if they have been found together with those of other searches.
    var precomputed: PrecomputedHits?

    /// Runs the search.
    ///
    /// - Throws: ``IndexFault`` if an index turns out to be corrupt or to have been built from other
    ///   contents; `StorageError`; `CancellationError`.
    func result() async throws -> QueryResult {
        var run = self
        let allowed = try await run.applyConditions()
        return try await run.result(among: allowed)
    }

    /// Returns the rows of the entries that match the filter and what the query requires and excludes; `nil`
    /// for all. Required phrases that no entry contains become text.
    private mutating func applyConditions() async throws -> RowSet? {
        guard let text = plan.text, let words, text.isSelective else { return filtered }
        let rows = try await rows(matching: text, words)
        guard rows?.isEmpty == true else { return rows }
        let relaxed = try await words.relaxed(text, among: filtered)
        guard relaxed != text else { return rows }
        plan.text = relaxed
        return try await self.rows(matching: relaxed, words)
    }

    private func rows(matching text: TextQuery, _ words: TextContents) async throws -> RowSet? {
        guard let matching = try await words.allowed(by: text) else { return filtered }
        // The word index may describe a newer or older state of the store than the snapshot. An entry that
        // the snapshot does not have is dropped when candidates are resolved.
        var rows = filtered
        rows?.formIntersection(matching)
        return rows ?? matching
    }

    private func result(among allowed: RowSet?) async throws -> QueryResult {
        let count = snapshot.stamp.entryCount
        let needed = plan.neededHits(of: count)
        let isEmpty = needed == 0 || allowed?.isEmpty == true
        let source = try await CandidateSource(
            for: plan, in: vectors, words, allowed: allowed, of: filtered?.count ?? count,
            depth: isEmpty ? nil : plan.firstDepth(of: count), precomputed: precomputed)
        let relevance = Relevance(plan, vectors.statistics, words: source.wordScores?.scores)
        let (judged, databasePlan) =
            isEmpty
            ? (JudgedHits(hits: [], isNoise: plan.judgesNoise), nil)
            : try await judgedHits(needed, from: source, relevance)
        var result = QueryResult(
            hits: Array(judged.hits.prefix(needed).dropFirst(max(0, plan.search.offset))),
            nearest: judged.nearest,
            noiseLevel: plan.hasNoiseLevel ? Relevance.noiseLevel : 0, stamp: snapshot.stamp,
            candidateCount: source.allowed?.count ?? unfilteredCount(databasePlan),
            omittedTokens: plan.omittedTokens)
        result.isNoise = judged.isNoise
        result.databasePlan = databasePlan
        result.notices = notices
        result.text = plan.text
        return result
    }

    /// Sets the ranks of hits that are in order.
    private func ranked(_ hits: [QueryHit]) -> [QueryHit] {
        var hits = hits
        for index in hits.indices { hits[index].rank = index + 1 }
        return hits
    }

    /// The hits of a result, after it has been decided whether they are noise.
    private struct JudgedHits {
        /// The hits without those that unrelated text would have.
        var hits: [QueryHit]
        /// The best hits, if the result is noise.
        var nearest: [QueryHit] = []
        /// Whether no entry is an answer.
        var isNoise = false
    }

    /// Returns the hits that are not noise. If some of them are, more hits are found, so that the number of
    /// hits does not depend on the limit.
    private func judgedHits(
        _ needed: Int, from source: CandidateSource, _ relevance: Relevance
    ) async throws -> (JudgedHits, PassageSearchPlan?) {
        var finder = try await HitFinder(
            plan, from: source, relevance, in: snapshot, passagesRevision: vectors.revision,
            wordsRevision: words?.revision)
        // Whether the result is noise must not depend on the limit and the offset.
        let firstCount = plan.judgesNoise ? max(needed, Self.judgedCount) : needed
        var count = firstCount
        while true {
            let hits = try await finder.hits(count)
            let judged = judged(ranked(hits))
            let isComplete = judged.isNoise || judged.hits.count >= needed || hits.count < count
            if isComplete || count >= firstCount * Self.maximumGrowth { return (judged, finder.databasePlan) }
            count *= 2
        }
    }

    /// Decides whether hits are noise, and removes hits that are.
    private func judged(_ hits: [QueryHit]) -> JudgedHits {
        let best = hits.prefix(Self.judgedCount)
        // A text that contains all words of the query is an answer, even if the words are frequent.
        let isFaint = plan.judgesNoise && !best.contains(where: \.isClose)
        let isNoise = isFaint && !best.contains(where: \.hasAllWords)
        if isNoise {
            let minimum = plan.search.minimumScore ?? 0
            let faded = ranked(faded(hits).filter { $0.score >= minimum })
            guard plan.hasNoiseLevel else { return JudgedHits(hits: faded, isNoise: true) }
            return JudgedHits(hits: [], nearest: Array(faded.prefix(Self.nearestCount)), isNoise: true)
        }
        guard plan.hasNoiseLevel else { return JudgedHits(hits: hits) }
        if isFaint { return JudgedHits(hits: ranked(hits.filter(\.hasAllWords))) }
        guard hits.count(where: { $0.evidence > 0 }) < Relevance.longList else {
            return JudgedHits(hits: hits)
        }
        // `HitAssembly` keeps the best hits even without evidence, because they are reported as the nearest
        // ones if the result is noise. This result is not.
        return JudgedHits(hits: ranked(hits.filter { $0.evidence > 0 || $0.hasAllWords }))
    }

    /// Returns hits that are noise with scores up to the noise level. One rare word can give a higher score
    /// to a text that does not answer the query.
    private func faded(_ hits: [QueryHit]) -> [QueryHit] {
        guard let best = hits.map(\.score).max(), best > Relevance.noiseLevel else { return hits }
        let factor = Relevance.noiseLevel / best
        return hits.map { hit in
            var hit = hit
            hit.score *= factor
            hit.explanation = hit.explanation.scaled(by: factor)
            return hit
        }
    }

    /// Returns the number of entries that may be found if no set of rows restricts them.
    private func unfilteredCount(_ databasePlan: PassageSearchPlan?) -> Int {
        if let databasePlan, !plan.search.filter.matchesAll { return databasePlan.matchingEntries }
        return max(0, snapshot.stamp.entryCount - plan.excluded.count)
    }

    /// The number of best hits that decide whether a result is noise.
    private static let judgedCount = 25
    /// The factor by which the number of hits that are judged grows at most if many of them are noise.
    private static let maximumGrowth = 4
    /// The maximum number of hits in ``QueryResult/nearest``.
    static let nearestCount = 3

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
