import Foundation
import Logging
import RoostModel
import RoostTestKit
import Synchronization
import Testing

/// The in-memory reference with the decorator that does not change its behavior.
private struct DecoratedFixture: StorageFixture {
    let level = StorageLevel.inMemory
    func open() async throws -> any StorageProvider { InMemoryStorageProvider().logging() }
    func tearDown() async {}
}

struct StorageDecoratorTests {
    /// The seeds of the fuzzer. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 8)

    @Test(arguments: seeds) func `a store that is logged behaves like the reference`(seed: Int)
        async throws
    {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { DecoratedFixture() }
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
        let faulty = FaultyStorage(InMemoryStorageProvider()) { call, number in
            call == .readPage && number == 2 ? .refusal(StorageError(.damaged, secret)) : nil
        }
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
