import CrashWorkload
import Foundation
import RoostJSON
import RoostModel
import RoostSQLite
import RoostTestKit
import Synchronization
import Testing

private let starting = Mutex(())

/// Foundation's `Process` is not safe to be started on several threads at once.
func startOneAtATime(_ process: Process) throws {
    try starting.withLock { _ in try process.run() }
}

/// Another process that works on a store of a test.
enum Worker {
    static func run(_ job: StorageJob, _ backend: CrashWorkload.Backend, _ folder: URL) async throws {
        let process = Process()
        process.executableURL = KillTests.tool
        process.arguments = ["job", backend.rawValue, folder.path] + job.arguments
        let error = Pipe()
        process.standardError = error
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = { process in
                continuation.yield(
                    process.terminationReason == .uncaughtSignal ? -1 : process.terminationStatus)
                continuation.finish()
            }
        }
        try startOneAtATime(process)
        for await status in ended where status > 0 {
            let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw WorkerFailure(description: "\(job.arguments) ended with \(status): \(text.suffix(300))")
        }
    }
}

struct WorkerFailure: Error, CustomStringConvertible {
    let description: String
}

/// A folder of its own for each test case.
struct TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("roost-test-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    func remove() { try? FileManager.default.removeItem(at: url) }
}

struct InMemoryFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider { InMemoryStorageProvider() }
    func tearDown() async {}
}

struct LocalFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    func open() async throws -> any StorageProvider {
        try LocalStorageProvider(directory: folder.url.appendingPathComponent("Storage"))
    }
    func run(_ job: StorageJob) async throws { try await Worker.run(job, .json, folder.url) }
    func tearDown() async { folder.remove() }
}

struct SQLiteFixture: StorageFixture {
    let level = StorageLevel.severalProcesses
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    func open() async throws -> any StorageProvider {
        try await SQLiteStorageProvider(databaseURL: folder.url.appendingPathComponent("roost.sqlite"))
    }
    func run(_ job: StorageJob) async throws { try await Worker.run(job, .sqlite, folder.url) }
    func tearDown() async { folder.remove() }
}

/// A backend of four methods, as a user would write it.
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

/// A store that loses what it is told to remove: the laws must notice.
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

struct StorageLawTests {
    @Test(arguments: StorageLaw.laws(upTo: .inMemory))
    func `the in-memory store obeys`(law: StorageLaw) async throws { try await law.check(InMemoryFixture()) }

    @Test(arguments: StorageLaw.allCases)
    func `the JSON store obeys`(law: StorageLaw) async throws { try await law.check(LocalFixture()) }

    @Test(arguments: StorageLaw.allCases)
    func `the SQLite store obeys`(law: StorageLaw) async throws { try await law.check(SQLiteFixture()) }

    @Test(arguments: StorageLaw.laws(upTo: .simple))
    func `a backend of four methods obeys`(law: StorageLaw) async throws {
        try await law.check(SimpleFixture())
    }

    @Test func `a store that does not remove is found out`() async throws {
        await #expect(throws: LawViolation.self) {
            try await StorageLaw.deletedEntriesAreGone.check(CanaryFixture())
        }
    }
}
