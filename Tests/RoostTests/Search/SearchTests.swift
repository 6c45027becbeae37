import Foundation
import RoostFiles
import RoostModel
import RoostVectors
import Synchronization
import Testing

@testable import Roost

/// Tests of search over the entries of many commits, with an oracle that compares all passages one by one.
struct SearchTests {
    /// Returns a vector in which four of eight components are 0.5 or -0.5, so that products are exact and
    /// many of them are equal.
    private func vector(_ generator: inout SeededGenerator) -> [Float] {
        let components = Array(0..<8).shuffled(using: &generator).prefix(4)
        var vector = [Float](repeating: 0, count: 8)
        for component in components { vector[component] = Bool.random(using: &generator) ? 0.5 : -0.5 }
        return vector
    }

    private func entry(_ number: Int, _ generator: inout SeededGenerator) -> Entry {
        let passages = (0..<Int.random(in: 1...4, using: &generator)).map { ordinal in
            Passage(ordinal: ordinal, utf8Range: ordinal..<ordinal + 1, vector: vector(&generator))
        }
        return Entry(
            content: "\(number) text", embeddings: vector(&generator), passages: passages,
            tags: number.isMultiple(of: 3) ? ["third"] : [])
    }

    private func oracle(_ entries: [Entry], _ query: [Float], k: Int) -> [UUID] {
        let scored = entries.map { entry in
            (id: entry.id, score: entry.passages.map { innerProduct($0.vector, query) }.max() ?? -1)
        }
        return scored.sorted { ($1.score, $0.id.uuidString) < ($0.score, $1.id.uuidString) }.prefix(k)
            .map(\.id)
    }

    @Test(arguments: [1, 2, 3]) func `entries of many commits are found like those of one commit`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let storage = InMemoryStorageProvider()
        let store = KnowledgeStore(storage: storage, embedder: Directions())
        var entries: [Entry] = []
        for round in 0..<12 {
            let added = (0..<Int.random(in: 1...30, using: &generator)).map {
                entry(round * 100 + $0, &generator)
            }
            try await storage.saveEntries(added)
            entries += added
            let removed = entries.remove(at: Int.random(in: 0..<entries.count, using: &generator))
            try await storage.deleteEntry(removed.id)
            let changed = Int.random(in: 0..<entries.count, using: &generator)
            entries[changed].passages[0].vector = vector(&generator)
            try await storage.saveEntry(entries[changed])
            for k in [1, 3, 10, 1000] {
                let query = vector(&generator)
                let all = try await store.search(EntrySearch(.vector(query), limit: k))
                #expect(all.hits.map(\.entry.id) == oracle(entries, query, k: k))
                let some = try await store.search(
                    EntrySearch(.vector(query), matching: [.tag("third")], limit: k))
                let allowed = entries.filter { $0.tags.contains("third") }
                #expect(some.hits.map(\.entry.id) == oracle(allowed, query, k: k))
                #expect(some.candidateCount == allowed.count)
            }
        }
    }

    @Test func `entries that the caller may not see change neither scores nor the noise level`() async throws
    {
        var generator = SeededGenerator(seed: 8)
        let storage = InMemoryStorageProvider()
        let store = KnowledgeStore(storage: storage, embedder: Directions())
        try await storage.saveEntries(
            (0..<40).map { number in
                var entry = entry(number, &generator)
                entry.tags = ["mine"]
                return entry
            })
        let query = vector(&generator)
        func scores(_ searches: [EntrySearch]) async throws -> [[String]] {
            try await store.search(searches).map { result in
                (result.hits + result.nearest).map { "\($0.id) \($0.score)" }
            }
        }
        var searches = [
            EntrySearch(.vector(query), matching: [.tag("mine")]),
            EntrySearch("nothing of it", matching: [.tag("mine")]),
            EntrySearch("text", matching: [.tag("mine")]),
        ]
        for index in searches.indices { searches[index].visible = [.tag("mine")] }
        // A search by words alone reads no vectors, so it must not leave statistics for the others.
        var words = searches[2]
        words.mode = .text
        _ = try await scores([words])
        let before = try await scores(searches)
        #expect(before.allSatisfy { !$0.isEmpty })
        let seen = EntrySearch("text", matching: [.tag("mine")])
        let all = try await scores([seen])
        // Texts that are near to some of the others make those hubs.
        try await storage.saveEntries(
            (0..<40).map { number in
                var entry = entry(1000 + number, &generator)
                for index in entry.passages.indices {
                    entry.passages[index].vector = [0.9, 0.1, 0.1, 0.1, 0, 0, 0.1, 0.4]
                    entry.passages[index].vector[number % 6] += 0.5
                }
                entry.tags = []
                return entry
            })
        #expect(try await scores(searches) == before)
        #expect(try await scores([seen]) != all)
    }

    @Test func `a vector of another dimension is rejected`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: Directions())
        let error = await #expect(throws: RoostError.self) {
            try await store.search(EntrySearch(.vector([1, 0])))
        }
        #expect(error?.code == .spaceMismatch)
        // A vector of another dimension that was stored without the knowledge store.
        try await store.storage.saveEntry(Entry(content: "x", embeddings: [1, 0]))
        let other = await #expect(throws: RoostError.self) { try await store.search("x") }
        #expect(other?.code == .spaceMismatch)
    }
}

/// An embedder with eight dimensions, for stores whose vectors the test provides.
struct Directions: Embedder {
    let space = EmbeddingSpace(model: "directions", revision: "1", dimension: 8, pooling: "none")
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let row: [Float] = [1, 0, 0, 0, 0, 0, 0, 0]
        let zeros = [Int](repeating: 0, count: texts.count)
        return Embeddings(
            vectors: Matrix(texts.map { _ in row }, columns: 8), tokenCounts: zeros, omittedTokens: zeros)
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}

/// Searches whose vectors a database compares, with a database that records the searches.
struct DatabaseVectorsTests {
    /// A search over entries of one passage each, whose scores fall with the row.
    private final class RecordedSearch: PassageSearch {
        let ids: [Entry.ID]
        let scopes = Mutex<[PassageScope]>([])
        let samples = Mutex(0)

        init(_ count: Int) { ids = (0..<count).map { _ in UUID() } }

        func nearestPassages(
            to vector: [Float], limit: Int, in scope: PassageScope, isExact: Bool
        ) async throws -> NearestPassages {
            scopes.withLock { $0.append(scope) }
            var rows = ids.indices.map { UInt32($0) }
            if case .rows(let allowed) = scope { rows = rows.filter(allowed.contains) }
            let found = rows.prefix(limit).map {
                NearestPassage(entry: ids[Int($0)], row: $0, ordinal: 0, score: -Float($0))
            }
            return NearestPassages(
                passages: found,
                plan: PassageSearchPlan(.exactScan, matchingEntries: rows.count, foundPassages: found.count))
        }

        func passageVectors(ofRows rows: RowSet) async throws -> VectorPage {
            VectorPage(rows: [], ids: [], ordinals: [], vectors: Matrix(rows: 0, columns: 0), next: nil)
        }

        func sampledRows(_ count: Int) async throws -> RowSet {
            samples.withLock { $0 += 1 }
            return []
        }

        func indexState() async throws -> PassageIndexState { PassageIndexState(isComplete: false, bytes: 0) }

        func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws {}

        /// The number of rows that were sent with each search; `nil` for a filter.
        var sentRows: [Int?] {
            scopes.withLock { $0.map { if case .rows(let rows) = $0 { rows.count } else { nil } } }
        }
    }

    private static let store = UUID()
    private static let epoch = UUID()

    private func stamp(_ revision: UInt64, _ count: Int) -> Stamp {
        Stamp(
            store: Self.store, epoch: Self.epoch, revision: Revision(rawValue: revision), entryCount: count,
            clusterCount: 0)
    }

    private func nearest(
        _ count: Int, among allowed: RowSet, k: Int = 10
    ) async throws -> (rows: [UInt32], sent: [Int?]) {
        let search = RecordedSearch(count)
        let vectors = DatabaseVectors(search: search, filter: .all)
        let found = try await vectors.nearest(
            to: [1], k: k, among: allowed, isFilterOnly: false, isExact: false)
        return (found.hits.map(\.entryRow), search.sentRows)
    }

    @Test func `the rows of a query with conditions are sent`() async throws {
        let limit = DatabaseVectors.maximumSentRows
        for (count, step) in [(limit, UInt32(1)), (limit + 10, 2), (3 * limit, 3)] {
            let allowed = RowSet(0..<UInt32(count)) { $0 % step == 0 }
            let found = try await nearest(count, among: allowed)
            #expect(found.rows == Array(allowed.prefix(10)))
            #expect(found.sent == [allowed.count])
        }
    }

    @Test func `the statistics are read again if the number of entries has changed`() async throws {
        let cache = PairStatisticsCache()
        let search = RecordedSearch(1)
        func isRead(_ stamp: Stamp, isExact: Bool = false) async throws -> Bool {
            let before = search.samples.withLock { $0 }
            _ = try await cache.statistics(of: nil, at: stamp, isExact: isExact) {
                _ = try await search.sampledRows(1)
                return PassageStatistics()
            }
            return search.samples.withLock { $0 } > before
        }
        #expect(try await isRead(stamp(1, 1000)))
        #expect(try await !isRead(stamp(2, 1050)))
        #expect(try await !isRead(stamp(1, 1000), isExact: true))
        #expect(try await isRead(stamp(2, 1000), isExact: true))
        #expect(try await isRead(stamp(3, 1200)))
        var other = stamp(3, 1200)
        other.epoch = UUID()
        #expect(try await isRead(other))
    }
}

/// Searches during commits of other writers.
@Suite struct SearchStateTests {
    /// Lets two writers commit before each call to a storage or a snapshot, and counts the snapshots. Each commit
    /// replaces the texts and vectors of all entries, removes an entry, and adds one.
    private final class Writers: StorageInterceptor {
        let base = InMemoryStorageProvider()
        let embedder = LexicalEmbedder(dimension: 64)
        private let state = Mutex((generation: 0, snapshots: 0, isActive: false))
        let generations = Mutex<[Revision: Int]>([:])

        private let queue = TaskQueue()

        func commit() async throws { try await queue.run { try await commitNext() } }

        private func commitNext() async throws {
            let generation = state.withLock { state in
                state.generation += 1
                return state.generation
            }
            let texts = (0..<12).map { "a swift number \($0) of generation \(generation) on the roof" }
            let vectors = try await embedder.embed(texts, as: .document)
            let entries = texts.indices.map { index in
                // The last entry has another id in each generation.
                var entry = Entry(
                    id: EntryID.derived(source: "s", key: index < 11 ? "\(index)" : "new \(generation)"),
                    content: texts[index])
                entry.metadata = ["generation": .integer(Int64(generation))]
                entry.embeddings = vectors.vectors.row(index)
                return entry
            }
            let removed = EntryID.derived(source: "s", key: "new \(generation - 1)")
            let revision = try await base.commit(WriteBatch(upserts: entries, removals: [removed]))
            generations.withLock { $0[revision] = generation }
        }

        func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            if call == .snapshot { state.withLock { $0.snapshots += 1 } }
            if state.withLock({ $0.isActive }) { for _ in 0..<2 { try await commit() } }
            return try await body()
        }

        /// Runs `body` during the commits, and returns its result and the number of its snapshots.
        func whileWriting<Value>(_ body: () async throws -> Value) async throws -> (Value, snapshots: Int) {
            let before = state.withLock { state in
                state.isActive = true
                return state.snapshots
            }
            let value = try await body()
            return (
                value,
                state.withLock { state in
                    state.isActive = false
                    return state.snapshots - before
                }
            )
        }
    }

    @Test(arguments: SearchMode.allCases)
    func `a search reads one snapshot, and its hits belong to one revision`(mode: SearchMode) async throws {
        let writers = Writers()
        try await writers.commit()
        let store = KnowledgeStore(
            storage: InterceptedStorage(writers.base, by: writers), embedder: writers.embedder)
        for limit in [1, 5, 20] {
            var search = EntrySearch(
                "swifts on the rooof -boat", matching: [.metadata("generation") > 0], limit: limit)
            search.mode = mode
            search.includesAll = true
            search.visible = [.metadata("generation") > 0]
            let (result, snapshots) = try await writers.whileWriting { try await store.search(search) }
            #expect(snapshots == 1)
            #expect(result.hits.count == min(limit, 12) && result.candidateCount == 12)
            let generation = writers.generations.withLock { $0[result.stamp.revision] }
            for hit in result.hits {
                #expect(
                    hit.entry.metadata["generation"] == generation.map { MetadataValue.integer(Int64($0)) })
            }
        }
    }

    @Test func `searches with several subjects read one snapshot together`() async throws {
        let writers = Writers()
        try await writers.commit()
        let store = KnowledgeStore(
            storage: InterceptedStorage(writers.base, by: writers), embedder: writers.embedder)
        let id = EntryID.derived(source: "s", key: "3")
        let searches = [EntrySearch("swift"), EntrySearch(.entries([id])), EntrySearch(.document("a roof"))]
        let (results, snapshots) = try await writers.whileWriting { try await store.search(searches) }
        #expect(snapshots == 1)
        #expect(Set(results.map(\.stamp.revision)).count == 1)
        #expect(results.allSatisfy { !$0.hits.isEmpty })
    }
}

/// Tests of the search for near-duplicates with unusual vectors.
@Suite struct DuplicateFinderTests {
    /// Replaces the first component of each page of vectors with infinity, as a custom storage that does not
    /// check vectors could contain it.
    private struct InfiniteComponent: StorageInterceptor {
        func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            let value = try await body()
            guard var page = value as? VectorPage, page.vectors.rows > 0 else { return value }
            var elements = page.vectors.elements
            elements[0] = .infinity
            page.vectors = Matrix(
                rows: page.vectors.rows, columns: page.vectors.columns, elements: elements)
            return page as? Value ?? value
        }
    }
}
