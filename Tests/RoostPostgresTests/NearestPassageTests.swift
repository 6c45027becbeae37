import Foundation
import RoostModel
import RoostVectors
import Synchronization
import Testing

@testable import RoostPostgres

/// The search for the nearest passages, with and without the index.
@Suite(TestServer.isRequired) struct NearestPassageTests {
    private static let dimension = 16

    static func vector(_ seed: Int) -> [Float] {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        return normalized(
            (0..<dimension).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Float(Int64(state >> 33) - (1 << 30)) / Float(1 << 30)
            })
    }

    /// Saves entries of one passage with their vectors; 2% of them have the tag `rare`.
    private func fill(_ store: PostgresStorageProvider, _ count: Int) async throws -> [Entry] {
        let entries = (0..<count).map { number in
            Entry(
                content: "\(number)", embeddings: Self.vector(number), source: "s",
                tags: number % 50 == 0 ? ["rare"] : ["common"])
        }
        try await store.saveEntries(entries)
        return entries
    }

    private func search(
        _ snapshot: any StorageSnapshot, _ query: [Float], _ limit: Int, _ filter: EntryFilter = .all,
        isExact: Bool = false
    ) async throws -> NearestPassages {
        try await #require(snapshot.passageSearch).nearestPassages(
            to: query, limit: limit, in: .matching(filter), isExact: isExact)
    }

    @Test(arguments: TestServer.available)
    func `a filter that 2% of the entries pass does not shorten a result`(server: TestServer) async throws {
        // Every search with a filter uses the index, although few entries match.
        let store = try await PostgresFixture(server: server).provider { $0.exactSearchLimit = 10 }
        let entries = try await fill(store, 6000)
        let snapshot = try await store.snapshot()
        try await #require(snapshot.passageSearch).buildIndex { _, _ in }
        var (found, wanted) = (0, 0)
        for query in 0..<5 {
            let vector = Self.vector(-query - 1)
            for filter: EntryFilter in [.all, [.tag("rare")]] {
                let result = try await search(snapshot, vector, 100, filter)
                #expect(result.passages.count == 100)
                #expect(result.plan.method == .index)
                #expect(result.plan.matchingEntries == (filter.matchesAll ? 6000 : 120))
                let exact = try await search(snapshot, vector, 100, filter, isExact: true)
                #expect(exact.plan.method == .exactScan)
                let expected = entries.filter { filter.matches($0, assigned: nil) }
                    .map { innerProduct($0.embeddings, vector) }.sorted(by: >).prefix(100)
                for (passage, score) in zip(exact.passages, expected) {
                    #expect(abs(passage.score - score) < 1e-5)
                }
                found += Set(exact.passages.map(\.entry)).intersection(result.passages.map(\.entry)).count
                wanted += 100
            }
        }
        #expect(Double(found) / Double(wanted) >= 0.95, "recall \(found) of \(wanted)")
        try await store.close()
    }

    @Test func `a search of a store without vectors accepts a vector of any dimension`() async throws {
        let store = try await PostgresFixture().provider()
        try await store.saveEntries([Entry(content: "a text without a vector")])
        // pgvector states the dimension in 16 bits.
        let query = [Float](repeating: 0.1, count: 40_000)
        let result = try await search(try await store.snapshot(), query, 5)
        #expect(result.passages.isEmpty && result.plan.matchingEntries == 1)
        try await store.close()
    }

    @Test func `an index whose scan ends too early is followed by an exact scan`() async throws {
        let store = try await PostgresFixture().provider { $0.exactSearchLimit = 10 }
        _ = try await fill(store, 300)
        let snapshot = try await store.snapshot()
        try await #require(snapshot.passageSearch).buildIndex { _, _ in }
        // More passages are requested than the store has.
        let result = try await search(snapshot, Self.vector(7), 400)
        #expect(result.passages.count == 300)
        #expect(result.plan.method == .indexThenExactScan)
        try await store.close()
    }

    @Test(arguments: TestServer.available)
    func `a snapshot is searched at its revision`(server: TestServer) async throws {
        let store = try await PostgresFixture(server: server).provider { $0.exactSearchLimit = 3 }
        var entries = try await fill(store, 40)
        let old = try await store.snapshot()
        try await #require(old.passageSearch).buildIndex { _, _ in }
        let before = try await search(old, entries[3].embeddings, 5)
        entries[3].embeddings = Self.vector(-9)
        entries[3].passages = [
            Passage(ordinal: 0, utf8Range: 0..<1, vector: Self.vector(-7)),
            Passage(ordinal: 1, utf8Range: 0..<1, vector: Self.vector(-8)),
        ]
        try await store.saveEntry(entries[3])
        try await store.deleteEntry(entries[4].id)
        #expect(try await search(old, Self.vector(3), 5).passages == before.passages)
        let new = try await store.snapshot()
        let found = try await search(new, Self.vector(-8), 39)
        #expect(found.passages[0].entry == entries[3].id)
        #expect(found.passages[0].ordinal == 1)
        // The mean vector of an entry with several passages is not that of a passage.
        #expect(try await search(new, Self.vector(-9), 60).passages.count == 40)
        #expect(!found.passages.contains { $0.entry == entries[4].id })
        try await store.close()
    }

    @Test func `vectors of passages and samples are read`() async throws {
        let store = try await PostgresFixture().provider()
        let entries = try await fill(store, 200)
        let snapshot = try await store.snapshot()
        let search = try #require(snapshot.passageSearch)
        let page = try await search.passageVectors(ofRows: [3, 5, 4_000_000])
        #expect(page.ids == [entries[3].id, entries[5].id])
        #expect(page.vectors.row(1) == entries[5].embeddings)
        #expect(try await Array(search.sampledRows(50)) == Array(stride(from: 0, to: 200, by: 4)))
        // The sample also covers the end of a store that has less than twice as many entries.
        let large = try await search.sampledRows(150)
        #expect(large.count == 150 && large.contains(198))
        for count in [200, 300] { #expect(try await search.sampledRows(count).count == 200) }
        // Few entries are all in the sample, also if most rows of the store were removed.
        _ = try await store.commit(WriteBatch(removals: entries.prefix(170).map(\.id)))
        let rest = try #require(try await store.snapshot().passageSearch)
        #expect(try await Array(rest.sampledRows(50)) == Array(170..<200))
        try await store.close()
    }

    @Test func `a vector of another dimension is refused`() async throws {
        let store = try await PostgresFixture().provider()
        _ = try await fill(store, 2)
        let snapshot = try await store.snapshot()
        let error = await #expect(throws: StorageError.self) {
            _ = try await search(snapshot, [1, 0], 1)
        }
        #expect(error?.code == .dimensionMismatch)
    }

    @Test func `clients build the indexes of a database one after another, without a deadlock`() async throws
    {
        let settings = try TestServer.newDatabase()
        var snapshots: [PostgresSnapshot] = []
        for name in ["one", "two"] {
            let store = try await PostgresStorageProvider(address: settings, name: name)
            _ = try await fill(store, 1500)
            snapshots.append(try #require(try await store.snapshot() as? PostgresSnapshot))
        }
        let limits = CallLimits(.seconds(1200))
        let lock = try IndexBuildLock(settings)
        #expect(try lock.acquire(limits))
        let waiting = Mutex(false)
        let build = Task { [snapshot = snapshots[0]] in
            try await snapshot.buildIndex { step, _ in
                if step.contains("waiting") { waiting.withLock { $0 = true } }
            }
        }
        while !waiting.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        build.cancel()
        await #expect(throws: CancellationError.self) { try await build.value }
        #expect(try await !snapshots[0].indexState().isComplete)
        lock.release()
        // Statistics are collected meanwhile, as after many commits.
        let analysis = Task.detached {
            let connection = try Connection(settings)
            while !Task.isCancelled { _ = try connection.run(TableSQL.analysis, limits) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for snapshot in snapshots {
                group.addTask { try await snapshot.buildIndex { _, _ in } }
            }
            try await group.waitForAll()
        }
        analysis.cancel()
        try await analysis.value
        for snapshot in snapshots { #expect(try await snapshot.indexState().isComplete) }
    }

    @Test func `a database has indexes of a limited number of stores`() async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        _ = try await fill(store, 30)
        let connection = try Connection(settings)
        for _ in 0..<VectorIndexSQL.maximumStores {
            let suffix = UUID().uuidString.lowercased().replacing("-", with: "")
            try connection.execute(
                "CREATE INDEX vectors_16_\(suffix) ON roost.vectors (store)", CallLimits(.seconds(60)))
        }
        let search = try #require(try await store.snapshot().passageSearch)
        let error = await #expect(throws: StorageError.self) { try await search.buildIndex { _, _ in } }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("copy the store to another database") == true)
        try await store.close()
    }

    @Test func `a server without advisory locks and notifications is sufficient`() async throws {
        let proxy = try FaultProxy(serverPort: try #require(try TestServer.settings().port))
        defer { proxy.stop() }
        proxy.replace([
            "pg_try_advisory_xact_lock($1::int8)": "($1::int8 IS NOT NULL)", "NOTIFY ": "no_notify ",
            "LISTEN ": "no_listen ",
        ])
        // Without the lock, builds for other stores of the database would be deadlocks.
        let database = try #require(try TestServer.newDatabase().values["dbname"])
        let settings = try TestServer.settings(port: proxy.port, ["dbname": database])
        // The proxy works: two sessions have the same lock, and a notification is rejected.
        let sessions = try [Connection(settings), Connection(settings)]
        for session in sessions {
            let (lock, position) = VectorIndexSQL.lock
            #expect(try session.run(lock, CallLimits(.seconds(60)))[position].rows[0].bool(0))
        }
        #expect(throws: ConnectionError.self) {
            try sessions[0].execute("NOTIFY commits", CallLimits(.seconds(60)))
        }
        let store = try await PostgresStorageProvider(address: settings, name: TestServer.newName())
        let entries = try await fill(store, 30)
        let snapshot = try await store.snapshot()
        try await #require(snapshot.passageSearch).buildIndex { _, _ in }
        #expect(try await store.fetchEntries() == entries)
        try await store.close()
    }

    @Test func `without the type halfvec, searches compare all vectors`() async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        let connection = try Connection(settings)
        for sql in [
            "ALTER TYPE halfvec RENAME TO other",
            "UPDATE pg_extension SET extversion = '0.6.2' WHERE extname = 'vector'",
        ] { try connection.execute(sql, CallLimits(.seconds(60))) }
        let entries = try await fill(store, 30)
        let snapshot = try await store.snapshot()
        let found = try await search(snapshot, entries[7].embeddings, 3)
        #expect(found.passages.first?.entry == entries[7].id)
        let error = await #expect(throws: StorageError.self) {
            try await #require(snapshot.passageSearch).buildIndex { _, _ in }
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("install pgvector 0.8.4 or newer") == true)
        let findings = try await store.inspectServer().map(\.message)
        #expect(findings.contains { $0.contains("pgvector 0.6.2") && $0.contains("0.8.4 or newer") })
        try await store.close()
    }

    @Test func `an incomplete index is built again, and one of another dimension is removed`() async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        _ = try await fill(store, 30)
        let snapshot = try #require(try await store.snapshot() as? PostgresSnapshot)
        try await snapshot.buildIndex { _, _ in }
        let limits = CallLimits(.seconds(60))
        let connection = try Connection(settings)
        let sql = VectorIndexSQL(store: store.store, dimension: Self.dimension)
        let other = VectorIndexSQL(store: store.store, dimension: 8)
        try connection.execute(other.creation(.vectors), limits)
        try connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'roost.\(sql.names[0])'::regclass",
            limits)
        #expect(try await !snapshot.indexState().isComplete)
        try await snapshot.buildIndex { _, _ in }
        #expect(try await snapshot.indexState().isComplete)
        let names = try connection.run(sql.indexes, limits).rows.map { try $0.text(0) }
        #expect(Set(names) == Set(sql.names))
        try await store.close()
    }
}
