import RoostModel
import RoostVectors

/// The path of a search: parse, embed, find candidates, rank, resolve, page.
///
/// All steps read one state of the store, and each uses only the result of the one before. Searches with equal
/// settings are run together.
struct SearchEngine: Sendable {
    private let store: KnowledgeStore

    init(_ store: KnowledgeStore) { self.store = store }

    /// Returns the results of searches, in their order.
    ///
    /// If the index of vectors is damaged or contradicts the storage, it is dropped, and the searches run once
    /// more with vectors that are read from the storage.
    func results(of searches: [EntrySearch]) async throws -> [QueryResult] {
        let plans = try QueryParser.plans(for: searches)
        do {
            return try await results(of: plans)
        } catch let fault as IndexFault {
            await store.searchCatalog.rejectIndex(fault.reason)
        }
        do {
            return try await results(of: plans)
        } catch is IndexFault {
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
        plans = try await QueryEmbedder(store.embedder, store.settings.splitter).embedded(plans)
        var results = [QueryResult?](repeating: nil, count: plans.count)
        for batch in Self.batches(of: plans) {
            try Task.checkCancellation()
            let found = try await self.results(of: batch.map { plans[$0] }, in: state)
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

    /// The number of searches that run at the same time. Each uses all cores for parts of its work.
    private static let concurrentSearches = 4

    private func results(of plans: [QueryPlan], in state: SearchState) async throws -> [QueryResult] {
        let snapshot = state.snapshot
        let filter = try await plans[0].search.filter.expandingParentCluster(in: snapshot)
        let vectors = try await vectors(of: state, matching: filter)
        let words = plans[0].usesWords ? state.words : nil
        // The index of words needs the rows that match. A search by vectors in the database does not.
        let isFilteredInDatabase = state.place == .database && words == nil && plans[0].search.limit > 0
        let filtered =
            filter.matchesAll || isFilteredInDatabase ? nil : try await snapshot.rows(matching: filter)
        var runs = plans.map {
            SearchRun(plan: $0, vectors: vectors, words: words, snapshot: snapshot, filtered: filtered)
        }
        guard runs.count > 1 else { return [try await runs[0].result()] }
        if let passages = vectors.index, plans[0].usesVectors {
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

    /// Returns the vectors to search: those of the client's index or those in the database.
    private func vectors(of state: SearchState, matching filter: EntryFilter) async throws -> SearchVectors {
        guard state.place == .database, let search = state.snapshot.passageSearch else {
            return .client(state.passages ?? PassageContents())
        }
        return .database(
            try await DatabaseVectors(
                search, of: state.snapshot.stamp, matching: filter, store.pairStatistics))
    }
}

struct IndexFault: Error {
    var reason: String
}
