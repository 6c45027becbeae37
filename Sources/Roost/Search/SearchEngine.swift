import RoostModel
import RoostVectors

/// Runs the searches of a store: it plans them, runs searches with equal settings together, and replaces an
/// index that cannot be used.
struct SearchEngine: Sendable {
    private let store: KnowledgeStore

    init(_ store: KnowledgeStore) { self.store = store }

    /// Returns the results of searches, in their order.
    ///
    /// - Throws: See ``KnowledgeStore/search(_:)-([EntrySearch])``.
    func results(of searches: [EntrySearch]) async throws -> [QueryResult] {
        let place = try await store.currentSearchPlace()
        // The index of vectors is loaded while texts are embedded. If loading fails, the search itself throws
        // the error.
        async let prepared: PassageContents? = place == .client ? try? store.catalog.current() : nil
        let plans = try await QueryPlanner(store).plans(for: searches)
        _ = await prepared
        var results = [QueryResult?](repeating: nil, count: plans.count)
        for batch in Self.batches(of: plans) {
            try Task.checkCancellation()
            let found = try await self.results(of: batch.map { plans[$0] }, at: place)
            for (index, result) in zip(batch, found) { results[index] = result }
        }
        return results.compactMap(\.self)
    }

    // MARK: Batches

    /// The maximum number of searches whose vectors are compared together, and the maximum number of their
    /// candidates, which bounds the memory.
    private static let (maximumBatch, maximumCandidates) = (512, 400_000)

    /// The settings that searches of one batch share.
    private struct BatchKey: Hashable {
        var settings: EntrySearch
        var usesWords: Bool
        var usesVectors: Bool
        var excluded: Set<Entry.ID>
    }

    /// Returns the indices of plans that can be run together.
    private static func batches(of plans: [QueryPlan]) -> [[Int]] {
        var groups: [BatchKey: [Int]] = [:]
        for (index, plan) in plans.enumerated() {
            let key = BatchKey(
                settings: plan.search.settings, usesWords: plan.usesWords, usesVectors: plan.usesVectors,
                excluded: plan.excluded)
            groups[key, default: []].append(index)
        }
        return groups.values.sorted { $0[0] < $1[0] }.flatMap { group in
            let depth = max(1, plans[group[0]].depth(of: Self.maximumCandidates))
            let size = max(1, min(maximumBatch, maximumCandidates / depth))
            return stride(from: 0, to: group.count, by: size).map {
                Array(group[$0..<min(group.count, $0 + size)])
            }
        }
    }

    // MARK: Recovery

    /// Runs searches with equal settings. If the index of vectors is damaged or contradicts the storage, they
    /// run once more with vectors that are read from the storage.
    private func results(of plans: [QueryPlan], at place: SearchPlace) async throws -> [QueryResult] {
        do {
            return try await resultsOfAttempt(plans, at: place)
        } catch let fault as IndexFault {
            await store.catalog.rejectIndex(fault.reason)
        }
        do {
            return try await resultsOfAttempt(plans, at: place)
        } catch is IndexFault {
            throw StorageError(
                .damaged,
                "cannot search: the storage returns entries that differ from the indexed entries",
                remedy: .inspectStore)
        }
    }

    // MARK: One attempt

    /// The number of searches that run at the same time. Each uses all cores for parts of its work.
    private static let concurrentSearches = 4

    @concurrent
    private func resultsOfAttempt(_ plans: [QueryPlan], at place: SearchPlace) async throws -> [QueryResult] {
        let passages = place == .client ? try await store.catalog.current() : nil
        let words = plans[0].usesWords ? try await store.wordCatalog.current() : nil
        // The snapshot is newer than the indexes, so an entry that an index contains in another form has been
        // changed since.
        let snapshot = try await store.storage.snapshot()
        let filter = try await plans[0].search.filter.expandingParentCluster(in: snapshot)
        let vectors = try await vectors(passages, snapshot, filter)
        // The index of words needs the rows that match. A search by vectors in the database does not.
        let isFilteredInDatabase = passages == nil && words == nil && plans[0].search.limit > 0
        let filtered =
            filter.matchesAll || isFilteredInDatabase ? nil : try await snapshot.rows(matching: filter)
        var runs = plans.map {
            SearchRun(plan: $0, vectors: vectors, words: words, snapshot: snapshot, filtered: filtered)
        }
        guard runs.count > 1 else { return [try await runs[0].result()] }
        if let passages, plans[0].usesVectors {
            let depth = plans[0].depth(of: snapshot.stamp.entryCount)
            let nearest = try await CandidateSource.nearest(plans, k: depth, among: filtered, in: passages)
            for index in runs.indices { runs[index].nearest = nearest[index] }
        }
        return try await withThrowingTaskGroup(of: (index: Int, result: QueryResult).self) { group in
            var results = [QueryResult?](repeating: nil, count: runs.count)
            for (index, run) in runs.enumerated() {
                if index >= Self.concurrentSearches, let next = try await group.next() {
                    results[next.index] = next.result
                }
                group.addTask { (index, try await run.result()) }
            }
            for try await next in group { results[next.index] = next.result }
            return results.compactMap(\.self)
        }
    }

    /// Returns the vectors to search: those of the client's index or, without one, those in the database.
    private func vectors(
        _ passages: PassageContents?, _ snapshot: any StorageSnapshot, _ filter: EntryFilter
    ) async throws -> SearchVectors {
        if let passages { return .client(passages) }
        guard let search = snapshot.passageSearch else {
            throw StorageError(.unsupported, "cannot search in the database: the storage does not support it")
        }
        return .database(
            try await DatabaseVectors(
                search, of: snapshot.stamp, matching: filter, store.pairStatistics))
    }
}
