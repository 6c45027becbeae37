import RoostModel
import RoostVectors

/// Runs searches over the derived indexes of a store, and repairs or bypasses an index that turns out to be
/// unusable.
struct SearchEngine: Sendable {
    private let store: KnowledgeStore
    private let planner: QueryPlanner
    private let resolver: QueryResolver
    private let storage: any StorageProvider
    private let passageCatalog: DerivedCatalog<PassageContents>
    private let wordCatalog: DerivedCatalog<TextContents>

    init(_ store: KnowledgeStore) {
        self.store = store
        planner = QueryPlanner(embedder: store.embedder, splitter: store.splitter, storage: store.storage)
        storage = store.storage
        passageCatalog = store.catalog
        wordCatalog = store.wordCatalog
        resolver = QueryResolver(
            embedder: store.embedder, storage: store.storage, words: store.wordCatalog,
            filteredRows: store.filteredRows)
    }

    /// Returns the results of the given searches, in the same order.
    ///
    /// - Throws: ``RoostError``; `StorageError`; `EmbedderError`; `CancellationError`.
    func results(of searches: [EntrySearch]) async throws -> [QueryResult] {
        // The indexes are loaded while texts are embedded. If loading fails, the search itself throws the
        // error.
        let place = try await store.currentSearchPlace()
        async let prepared: Void = prepare(for: searches, at: place)
        let check = ExclusionCheck(storage: storage, words: wordCatalog, filteredRows: store.filteredRows)
        let phrases = try await check.phrasesInEntries(for: searches)
        let planned = try await planner.plans(for: searches, keepingAsText: phrases)
        await prepared
        let plans = try await resolver.resolved(planned)
        var results = [QueryResult?](repeating: nil, count: plans.count)
        for batch in Self.batches(of: plans) {
            try Task.checkCancellation()
            let found = try await self.results(of: batch.map { plans[$0] }, at: place)
            for (index, result) in zip(batch, found) { results[index] = result }
        }
        return results.compactMap(\.self)
    }

    private func prepare(for searches: [EntrySearch], at place: SearchPlace) async {
        let texts = searches.filter { if case .text = $0.subject { true } else { false } }
        guard !texts.isEmpty else { return }
        async let passages = place == .client ? try? passageCatalog.current() : nil
        if texts.contains(where: { $0.mode != .vector }) { _ = try? await wordCatalog.current() }
        _ = await passages
    }

    // MARK: Batches

    /// The maximum number of searches whose vectors are compared in one matrix product. It is large enough to
    /// occupy all cores.
    private static let maximumBatch = 512
    /// The maximum number of candidates of all searches of a batch, which bounds their memory.
    private static let maximumCandidates = 400_000
    /// The minimum number of candidates of each search in a batch.
    private static let minimumCandidates = 200

    /// The properties that searches must have in common to be run in one batch.
    private struct BatchKey: Hashable {
        var settings: EntrySearch
        var hasWords: Bool
        var usesVectors: Bool
        var comparesWholeEntries: Bool
        var excluded: Set<Entry.ID>
    }

    /// Returns the batches of plans that are run together, as lists of indices.
    private static func batches(of plans: [QueryPlan]) -> [[Int]] {
        guard plans.count > 1 else { return plans.isEmpty ? [] : [[0]] }
        var groups: [BatchKey: [Int]] = [:]
        for (index, plan) in plans.enumerated() {
            let key = BatchKey(
                settings: plan.search.settings, hasWords: plan.text != nil, usesVectors: plan.usesVectors,
                comparesWholeEntries: plan.comparesWholeEntries, excluded: plan.excluded)
            groups[key, default: []].append(index)
        }
        return groups.values.sorted { $0[0] < $1[0] }.flatMap { group in
            let search = plans[group[0]].search
            let depth = max(minimumCandidates, search.limit, search.offset)
            let size = max(1, min(maximumBatch, maximumCandidates / depth))
            return stride(from: 0, to: group.count, by: size).map {
                Array(group[$0..<min(group.count, $0 + size)])
            }
        }
    }

    // MARK: Recovery

    /// The health of the indexes during one search.
    private struct Health {
        var vectors = IndexHealth.trusted
        var words = IndexHealth.trusted
    }

    /// Returns the results of plans with the same settings.
    private func results(of plans: [QueryPlan], at place: SearchPlace) async throws -> [QueryResult] {
        var health = Health()
        while true {
            let passages = place == .client ? try await passageCatalog.current() : nil
            let words = plans.contains { $0.text != nil } ? try await wordCatalog.current() : nil
            do {
                for plan in plans { if let text = plan.text { try words?.verify(for: text) } }
                return try await results(of: plans, passages, words)
            } catch let fault as IndexFault {
                try await recover(from: fault, &health, passages, words)
            }
        }
    }

    /// Changes the indexes so that the search can be repeated.
    ///
    /// - Throws: `StorageError` with `.damaged` if the search cannot be repeated.
    private func recover(
        from fault: IndexFault, _ health: inout Health, _ passages: PassageContents?, _ words: TextContents?
    ) async throws {
        switch fault {
        case .corruptGraph(let reason):
            await passageCatalog.update { $0.dropGraph(notice: .unusableIndex(reason)) }
        case .corruptVectors(let reason): await passageCatalog.rejectIndex(reason)
        case .corruptPositions: await wordCatalog.rejectIndex("the positions of its words are damaged")
        case .vectorsDisagree:
            switch health.vectors.recordDisagreement() {
            case .searchAgain: break
            case .rebuildAndSearchAgain:
                if passages?.isMapped == true { await passageCatalog.rejectIndex(Self.disagreement) }
            case .giveUp: throw Self.inconsistentStorage
            }
        case .wordsDisagree:
            switch health.words.recordDisagreement() {
            case .searchAgain: break
            case .rebuildAndSearchAgain:
                if words?.isMapped == true { await wordCatalog.rejectIndex(Self.disagreement) }
            case .giveUp: throw Self.inconsistentStorage
            }
        }
    }

    private static let disagreement = "it contradicts the store"

    private static var inconsistentStorage: StorageError {
        StorageError(
            .damaged,
            "cannot search: the storage returns entries that differ from the indexed entries",
            remedy: .inspectStore)
    }

    // MARK: One attempt

    /// The number of searches that run at the same time. Each uses all cores for parts of its work.
    private static let concurrentSearches = 4

    /// The result of one of several concurrent searches.
    private struct NumberedResult: Sendable {
        var index: Int
        var result: QueryResult
    }

    @concurrent
    private func results(
        of plans: [QueryPlan], _ passages: PassageContents?, _ words: TextContents?
    ) async throws -> [QueryResult] {
        let snapshot = try await storage.snapshot()
        let filter = try await plans[0].search.filter.expandingParentCluster(in: snapshot)
        let vectors = try await vectors(passages, snapshot, filter)
        // The index of words needs the rows that match. A search by vectors in the database does not.
        let isFilteredInDatabase = passages == nil && plans[0].text == nil && plans[0].search.limit > 0
        let filtered =
            filter.matchesAll || isFilteredInDatabase
            ? nil : try await store.filteredRows.rows(matching: filter, in: snapshot)
        var runs = plans.map {
            SearchRun(
                plan: $0, vectors: vectors, words: $0.text == nil ? nil : words, snapshot: snapshot,
                filtered: filtered)
        }
        guard runs.count > 1 else { return [try await runs[0].result()] }
        if let passages, plans[0].usesVectors {
            let depth = plans[0].firstDepth(of: snapshot.stamp.entryCount)
            let nearest = try await CandidateSource.nearest(plans, k: depth, among: filtered, in: passages)
            for index in runs.indices {
                runs[index].precomputed = PrecomputedHits(depth: depth, hits: nearest[index])
            }
        }
        return try await withThrowingTaskGroup(of: NumberedResult.self) { group in
            var results = [QueryResult?](repeating: nil, count: runs.count)
            for (index, run) in runs.enumerated() {
                if index >= Self.concurrentSearches, let next = try await group.next() {
                    results[next.index] = next.result
                }
                group.addTask { NumberedResult(index: index, result: try await run.result()) }
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
