import CrashWorkload
import Foundation
import RoostModel
import RoostStorage
import RoostTestKit
import TestSupport
import Testing

struct InMemoryFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider { InMemoryStorageProvider() }
    func tearDown() async {}
}

struct LocalFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    func open() async throws -> any StorageProvider { try await CrashWorkload.open(.json, in: folder.url) }
    func run(_ job: StorageJob) async throws { try await StorageWorker.run(job, .json, folder.url) }
    func tearDown() async {}
}

struct SQLiteFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    func open() async throws -> any StorageProvider { try await CrashWorkload.open(.sqlite, in: folder.url) }
    func run(_ job: StorageJob) async throws { try await StorageWorker.run(job, .sqlite, folder.url) }
    func tearDown() async {}
}

/// A backend with only the four required methods, as a user would write it.
actor ArrayStorage: SimpleStorageProvider {
    private var entries: [Entry] = []
    private var clusters: [Cluster] = []

    func saveEntry(_ entry: Entry) async throws {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    func fetchEntries() async throws -> [Entry] { entries }

    func updateCluster(_ cluster: Cluster) async throws {
        if let index = clusters.firstIndex(where: { $0.id == cluster.id }) {
            clusters[index] = cluster
        } else {
            clusters.append(cluster)
        }
    }

    func fetchClusters() async throws -> [Cluster] { clusters }
}

struct SimpleFixture: StorageFixture {
    let level = StorageLevel.simple
    func open() async throws -> any StorageProvider { ArrayStorage() }
    func tearDown() async {}
}

/// A store that ignores removals. The laws must detect this fault.
struct CanaryStorage: StorageProvider {
    let base = InMemoryStorageProvider()
    func commit(_ batch: WriteBatch) async throws -> Revision {
        var batch = batch
        batch.removals = []
        return try await base.commit(batch)
    }
    func snapshot() async throws -> any StorageSnapshot { try await base.snapshot() }
    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }
    func renewEpoch() async throws -> Stamp { try await base.renewEpoch() }
    func close() async throws { try await base.close() }
}

struct CanaryFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider { CanaryStorage() }
    func tearDown() async {}
}

@Suite(.temporaryFolders) struct StorageLawTests {
    @Test(arguments: StorageLaw.laws(upTo: .inMemory))
    func `the in-memory store obeys the law`(law: StorageLaw) async throws {
        try await law.check(InMemoryFixture())
    }

    @Test(arguments: StorageLaw.allCases) func `the JSON store obeys the law`(law: StorageLaw) async throws {
        try await law.check(LocalFixture())
    }

    @Test(arguments: StorageLaw.allCases)
    func `the SQLite store obeys the law`(law: StorageLaw) async throws {
        try await law.check(SQLiteFixture())
    }

    @Test(arguments: StorageLaw.laws(upTo: .simple))
    func `a backend with four methods obeys the law`(law: StorageLaw) async throws {
        try await law.check(SimpleFixture())
    }

    /// The four methods save clusters one by one, so a failure can leave an entry in two of them.
    @Test func `a backend with four methods stays readable if saved clusters share an entry`() async throws {
        let store = ArrayStorage()
        let entry = Entry(content: "a")
        try await store.saveEntry(entry)
        let dates = [Date(milliseconds: 2000), Date(milliseconds: 1000), Date(milliseconds: 1000)]
        let clusters = dates.map { Cluster(label: "c", members: [entry.id, entry.id], createdAt: $0) }
        for cluster in clusters.dropFirst() { try await store.updateCluster(cluster) }
        #expect(try await store.snapshot().clusters().map(\.members) == [[], [entry.id]])
        try await store.updateCluster(clusters[0])
        #expect(try await store.snapshot().clusters().map(\.members) == [[], [], [entry.id]])
        let replacement = Cluster(label: "new")
        _ = try await store.commit(
            WriteBatch(clustering: .init(run: nil, clusters: [replacement], assignments: [])))
        #expect(try await store.fetchClusters().flatMap(\.members).isEmpty)
    }

    @Test func `a backend with four methods reports invalid data as damage`() async throws {
        let store = ArrayStorage()
        try await store.saveEntry(Entry(content: "a", embeddings: [1, 0]))
        try await store.saveEntry(Entry(content: "b", embeddings: [1, 0, 0]))
        let error = await #expect(throws: StorageError.self) { _ = try await store.snapshot() }
        #expect(error?.code == .damaged)
        #expect((error?.underlying as? StorageError)?.code == .dimensionMismatch)
    }

    @Test(arguments: [
        StorageLaw.deletionRemovesEntries, .removalsPrecedeUpserts, .concurrentReaderMissesNoChange,
    ])
    func `a store that ignores removals violates a law`(law: StorageLaw) async throws {
        await #expect(throws: LawViolation.self) { try await law.check(CanaryFixture()) }
    }
}
