import RoostFiles
import RoostModel
import RoostText
import RoostVectors

/// The path of a search: parse, embed, find candidates, rank, resolve, page.
///
/// All steps read one state of the store, and each uses only the result of the one before. Searches with equal
/// settings are run together.
struct SearchEngine: Sendable {
    let store: KnowledgeStore

    /// If the index of vectors is damaged or contradicts the storage, it is dropped, and the searches run once
    /// more with vectors that are read from the storage.
    func results(of searches: [EntrySearch]) async throws -> [QueryResult] {
        let plans = try QueryParser.plans(for: searches)
        do {
            return try await results(of: plans)
        } catch let fault as SectionFile.Unusable {
            await store.searchCatalog.rejectIndex(fault.description)
        }
        do {
            return try await results(of: plans)
        } catch is SectionFile.Unusable {
            throw StorageError(
                .damaged,
                "cannot search: the storage returns entries that differ from the indexed entries",
                remedy: .inspectStore)
        }
    }

    @concurrent
    private func results(of parsed: [QueryPlan]) async throws -> [QueryResult] {
        let state = try await store.searchCatalog.state(
            comparingAt: { store.index.place(in: $0) },
            needsVectors: parsed.contains { $0.text == nil || $0.search.mode != .text },
            needsWords: parsed.contains(where: \.usesWords))
        var plans = try await QueryParser(state: state, embedder: store.embedder).completed(parsed)
        plans = try await QueryEmbedder(embedder: store.embedder).embedded(plans)
        var results = [QueryResult?](repeating: nil, count: plans.count)
        for batch in Self.batches(of: plans) {
            try Task.checkCancellation()
            let found = try await self.results(of: batch.map { plans[$0] }, in: state)
            for (index, result) in zip(batch, found) { results[index] = result }
        }
        return results.compactMap(\.self)
    }

    // MARK: Batches

    /// The maximum number of searches whose vectors are compared together, which bounds the memory.
    private static let maximumBatch = 512

    private struct BatchKey: Hashable {
        var settings: EntrySearch
        var usesWords: Bool
        var usesVectors: Bool
        var excluded: Set<Entry.ID>
    }

    private static func batches(of plans: [QueryPlan]) -> [[Int]] {
        let groups = Dictionary(grouping: plans.indices) { index in
            let plan = plans[index]
            return BatchKey(
                settings: plan.search.settings, usesWords: plan.usesWords, usesVectors: plan.usesVectors,
                excluded: plan.excluded)
        }
        return groups.values.sorted { $0[0] < $1[0] }.flatMap { $0.groups(of: maximumBatch) }
    }

    /// The number of searches that run at the same time. Each uses all cores for parts of its work.
    private static let concurrentSearches = 4

    private func results(of plans: [QueryPlan], in state: SearchState) async throws -> [QueryResult] {
        let snapshot = state.snapshot
        let filter = try await plans[0].search.filter.expandingParentCluster(in: snapshot)
        let vectors = try await vectors(of: state, matching: filter, for: plans[0])
        let words = plans[0].usesWords ? state.words : nil
        // The index of words needs the rows that match. A search by vectors in the database does not.
        let isFilteredInDatabase = state.place == .database && words == nil && plans[0].search.limit > 0
        let filtered: RowSet? =
            if filter.matchesAll || isFilteredInDatabase {
                nil
            } else if plans[0].search.filter == plans[0].search.visible {
                plans[0].visibleRows
            } else { try await snapshot.rows(matching: filter) }
        var runs = plans.map {
            SearchRun(plan: $0, vectors: vectors, words: words, snapshot: snapshot, filtered: filtered)
        }
        if runs.count > 1, let passages = vectors.index, plans[0].usesVectors {
            let depth = plans[0].depth(of: snapshot.stamp.entryCount)
            let nearest = try await CandidateSource.nearest(plans, k: depth, among: filtered, in: passages)
            for index in runs.indices { runs[index].nearest = nearest[index] }
        }
        return try await runs.concurrentMap(limit: Self.concurrentSearches) { try await $0.result() }
    }

    private func vectors(
        of state: SearchState, matching filter: EntryFilter, for plan: QueryPlan
    ) async throws -> SearchVectors {
        guard let search = state.snapshot.passageSearch, state.place == .database || state.passages != nil
        else {
            let passages = state.passages ?? PassageContents()
            guard state.passages != nil, let rows = plan.visibleRows else {
                return SearchVectors(source: .client(passages), statistics: passages.statistics)
            }
            let statistics = try await store.pairStatistics.statistics(
                of: plan.search.visible, at: state.snapshot.stamp, isExact: true
            ) { passages.statistics(among: rows) }
            return SearchVectors(source: .client(passages), statistics: statistics)
        }
        let passages = state.place == .database ? nil : state.passages
        // Both places calibrate scores with the same sample, so that they give the same scores.
        let statistics = try await store.pairStatistics.statistics(
            of: plan.search.visible, at: state.snapshot.stamp, isExact: false
        ) {
            let rows: RowSet
            if let visible = plan.visibleRows {
                rows = PairStatistics.sample(of: visible)
            } else {
                rows = try await search.sampledRows(PairStatistics.sampleSize)
            }
            if let passages { return passages.statistics(among: rows) }
            return PassageContents(of: try await search.passageVectors(ofRows: rows)).statistics
        }
        let database = DatabaseVectors(search: search, filter: filter)
        return SearchVectors(
            source: passages.map { .client($0) } ?? .database(database), statistics: statistics)
    }
}

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

    func result() async throws -> QueryResult {
        let count = snapshot.stamp.entryCount
        let needed = plan.neededHits(of: count)
        let allowed = try await allowed()
        var result = QueryResult(
            hits: [], stamp: snapshot.stamp,
            candidateCount: allowed?.count ?? max(0, count - plan.excluded.count),
            omittedTokens: plan.omittedTokens, notices: notices, text: plan.usesWords ? plan.text : nil)
        result.listsPassages = plan.search.listsPassages
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
        let candidates = found.candidates.filter { !plan.excluded.contains($0.id) }
        let relevance = Relevance(plan, vectors.statistics.pairs, words: scores?.scores)
        var ranking = relevance.ranked(candidates)
        if scores != nil { ranking = relevance.ranked(corrected(ranking, max(needed, Self.judgedCount))) }
        let resolver = HitResolver(
            plan: plan, relevance: relevance, words: scores, snapshot: snapshot,
            comparesAllVectors: plan.usesVectors && vectors.index != nil)
        let hits = try await resolver.hits(
            plan.judgesNoise ? max(needed, Self.judgedCount) : needed, of: ranking)
        page(hits, needed, &result)
        return result
    }

    /// Corrects the cosines of the best candidates by how much more they are hubs than the first ones, whose number
    /// does not depend on the limit. The others are too far down to become hits.
    private func corrected(_ ranking: [Candidate], _ needed: Int) -> [Candidate] {
        var ranking = ranking
        let best = ranking.indices.prefix(max(3 * Self.judgedCount, 2 * needed))
            .filter { !ranking[$0].vector.isEmpty }
        let found = Matrix(best.map { ranking[$0].vector }, columns: plan.vector.count)
        let corrections = vectors.statistics.hubs.corrections(of: found, best.map { ranking[$0].id })
        let compared = corrections.prefix(best.prefix { $0 < 3 * Self.judgedCount }.count)
        let mean = compared.reduce(0, +) / Float(max(1, compared.count))
        for (index, correction) in zip(best, corrections) { ranking[index].correction = correction - mean }
        return ranking
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

    private func page(_ hits: [QueryHit], _ needed: Int, _ result: inout QueryResult) {
        result.isNoise = plan.judgesNoise && !hits.prefix(Self.judgedCount).contains(where: \.isClose)
        if result.isNoise, plan.hasNoiseLevel {
            result.nearest = Array(hits.prefix(Self.nearestCount))
            return
        }
        let end = plan.hasNoiseLevel ? hits.firstIndex { !$0.isRelated } ?? needed : needed
        result.hits = Array(hits.prefix(min(needed, end)).dropFirst(max(0, plan.search.offset)))
    }

    private var notices: [SearchNotice] {
        var notices = [vectors.index?.notice, words?.notice].compactMap(\.self)
        // A problem that concerns both indexes is reported once.
        if notices.count == 2, notices[0] == notices[1] { notices.removeLast() }
        if let text = plan.text, text.omittedWords > 0 {
            notices.append(
                SearchNotice(
                    message: "the query has more than \(TextQuery.maximumClauses) different words; its last "
                        + "\(Count.text(text.omittedWords, "word was", "words were")) ignored"))
        }
        return notices
    }
}
