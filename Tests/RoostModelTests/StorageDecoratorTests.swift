import Foundation
import Logging
import RoostModel
import RoostStorage
import RoostTestKit
import Synchronization
import TestSupport
import Testing

/// A JSON store in a temporary folder, for which several providers can be opened.
private struct LocalFixture: StorageFixture {
    let level = StorageLevel.durable
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    func open() async throws -> any StorageProvider { try LocalStorageProvider(directory: folder.url) }
    func tearDown() async {}
}

/// Several providers for one JSON store, each with a small cache.
private struct CachedFixture: StorageFixture {
    let level = StorageLevel.durable
    let base: LocalFixture
    init() throws { base = try LocalFixture() }
    func open() async throws -> any StorageProvider { try await base.open().caching(limit: 3) }
    func tearDown() async {}
}

/// The in-memory reference with all decorators that do not change its behavior.
private struct DecoratedFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider {
        InMemoryStorageProvider().caching(limit: 5).logging()
    }
    func tearDown() async {}
}

/// Counts the calls that read entries by their ids.
private final class ReadCount: StorageInterceptor {
    private let calls = Mutex(0)
    var value: Int { calls.withLock { $0 } }

    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        if call == .readEntries { calls.withLock { $0 += 1 } }
        return try await body()
    }
}

@Suite(.temporaryFolders) struct StorageDecoratorTests {
    /// The seeds of the fuzzer. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 8)

    @Test(arguments: StorageLaw.laws(upTo: .durable))
    func `a cached store obeys the law`(law: StorageLaw) async throws { try await law.check(CachedFixture()) }

    @Test(arguments: seeds) func `a store with all decorators behaves like the reference`(seed: Int)
        async throws
    {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { DecoratedFixture() }
    }

    @Test func `a cache avoids reads and forgets entries that another provider has changed`() async throws {
        let fixture = try LocalFixture()
        let reads = ReadCount()
        let cached = InterceptedStorage(
            try LocalStorageProvider(directory: fixture.folder.url), by: reads
        ).caching(limit: 100)
        let other = try await fixture.open()
        var entry = Entry(content: "one", embeddings: [1, 0])
        let quiet = Entry(content: "two", embeddings: [0, 1])
        try await other.saveEntries([entry, quiet])
        for _ in 0..<5 {
            #expect(try await cached.snapshot().entries([entry.id, quiet.id]) == [entry, quiet])
        }
        #expect(reads.value == 1)
        let old = try await cached.snapshot()
        entry.content = "changed by another"
        try await other.saveEntry(entry)
        #expect(try await cached.snapshot().entries([entry.id, quiet.id]) == [entry, quiet])
        #expect(reads.value == 2)
        // An older snapshot does not use the cache.
        #expect(try await old.entries([entry.id]).map(\.content) == ["one"])
        #expect(try await cached.snapshot().entries([entry.id]).map(\.content) == ["changed by another"])
        try await other.renewEpoch()
        #expect(try await cached.snapshot().entries([entry.id]) == [entry])
    }

    @Test func `a cache keeps no more entries than its limit`() async throws {
        let base = InMemoryStorageProvider()
        let reads = ReadCount()
        let cached = InterceptedStorage(base, by: reads).caching(limit: 10)
        let entries = (0..<100).map { Entry(content: "\($0)") }
        try await base.saveEntries(entries)
        for entry in entries { _ = try await cached.snapshot().entries([entry.id]) }
        #expect(reads.value == 100)
        // The latest entries are cached; the first ones are not.
        for entry in entries.suffix(4) { _ = try await cached.snapshot().entries([entry.id]) }
        #expect(reads.value == 100)
        for entry in entries.prefix(50) { _ = try await cached.snapshot().entries([entry.id]) }
        #expect(reads.value == 150)
    }

    @Test func `a read-only store rejects every write`() async throws {
        let base = InMemoryStorageProvider()
        let entry = Entry(content: "x", embeddings: [1], tags: ["t"])
        try await base.saveEntry(entry)
        try await base.updateCluster(Cluster(label: "c", members: [entry.id]))
        let store = base.readOnly()
        let before = try await StorageContents(base)
        let writes: [() async throws -> Void] = [
            { try await store.saveEntry(Entry(content: "y")) }, { try await store.saveEntries([]) },
            { try await store.deleteEntry(entry.id) }, { try await store.updateCluster(Cluster(label: "d")) },
            { try await store.renewEpoch() }, { try await store.compact() },
            { _ = try await store.commit(WriteBatch()) },
        ]
        for write in writes {
            let error = await #expect(throws: StorageError.self) { try await write() }
            #expect(error?.code == .readOnly)
        }
        #expect(try await StorageContents(store) == before)
    }

    @Test func `the log contains calls and no text of the user`() async throws {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        logger.logLevel = .debug
        let secret = "the words of a user"
        let faulty = FaultyStorage(
            InMemoryStorageProvider(),
            failing: .init([.readPage], at: 2, with: .refusal(StorageError(.damaged, secret))))
        let store = faulty.logging(logger)
        try await store.saveEntry(
            Entry(content: secret, source: secret, metadata: [secret: .string(secret)], tags: [secret]))
        _ = try await store.snapshot().entries(after: nil, limit: 5, matching: EntryFilter(tags: [secret]))
        await #expect(throws: StorageError.self) { try await store.fetchEntries() }
        let text = lines.all.joined(separator: "\n")
        #expect(lines.all.count == 5)
        #expect(!text.contains("words"))
        for word in ["commit", "readPage", "damaged", "done"] {
            #expect(text.contains(word))
        }
        logger.logLevel = .info
        lines.clear()
        try await faulty.logging(logger).saveEntry(Entry(content: "x"))
        #expect(lines.all.isEmpty)
    }

    @Test(arguments: [Int.max, .max - 1, 1]) func `any positive limit of a cache is accepted`(
        limit: Int
    ) async throws {
        let store = InMemoryStorageProvider().caching(limit: limit)
        let entry = Entry(content: "x")
        for content in ["x", "y"] {
            var changed = entry
            changed.content = content
            try await store.saveEntry(changed)
            #expect(try await store.snapshot().entries([entry.id]) == [changed])
            #expect(try await store.snapshot().entries([entry.id]) == [changed])
        }
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func clear() { lines.withLock { $0 = [] } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct LineHandler: LogHandler {
    let lines: Lines
    var logLevel = Logger.Level.debug
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message) \(event.metadata ?? [:])") }
}
