import Foundation
import RoostModel
import RoostTestKit
import TestSupport
import Testing

@testable import RoostPostgres

/// Broken connections, rejected transactions and killed sessions lose no commit and store nothing twice.
@Suite(TestServer.isRequired) struct FaultTests {
    private static func entry(_ number: Int) -> Entry {
        Entry(
            content: "entry \(number)", embeddings: [1, 0, 0, 0],
            passages: [Passage(ordinal: 0, utf8Range: 0..<5, vector: [0, 1, 0, 0])], source: "s", tags: ["t"],
            createdAt: Date(milliseconds: 1_700_000_000_000))
    }

    private static let maximumMessages = 200

    @Test(arguments: FaultProxy.Direction.allCases, [true, false])
    func `a connection that breaks at any message of a commit loses nothing`(
        direction: FaultProxy.Direction, isForwarded: Bool
    ) async throws {
        let settings = try TestServer.settings()
        let proxy = try FaultProxy(serverPort: try #require(settings.port))
        defer { proxy.stop() }
        let name = TestServer.newName()
        let store = try await PostgresStorageProvider(
            address: try TestServer.settings(port: proxy.port), name: name)
        var saved: [Entry] = []
        // Together, the four cases try all messages. `ROOST_FAULT_POINTS=all` tries all of them in each case.
        let isThorough = ProcessInfo.processInfo.environment["ROOST_FAULT_POINTS"] == "all"
        let step = isThorough ? 1 : 4
        var message = isThorough ? 0 : (direction == .toServer ? 0 : 2) + (isForwarded ? 1 : 0) - 3
        var isComplete = false
        while !isComplete {
            message += step
            try #require(message < Self.maximumMessages, "the faults never stop")
            let (first, second) = (Self.entry(2 * message), Self.entry(2 * message + 1))
            let before = try await store.snapshot().stamp.revision
            proxy.set(.init(direction: direction, message: message, isForwarded: isForwarded))
            // The batch is not idempotent because of its expectation: a repetition would be a conflict.
            let batch = WriteBatch(upserts: [first, second], expecting: .init(revision: before))
            let revision = try await store.commit(batch)
            isComplete = !proxy.hasFired
            proxy.set(nil)
            saved += [first, second]
            #expect(revision == before.next, "message \(message): revision \(revision) after \(before)")
            #expect(try await store.snapshot().stamp.revision == revision, "message \(message)")
        }
        #expect(message > 10, "a commit should have more than \(message) messages")
        #expect(try await store.fetchEntries() == saved)
        try await store.close()
        // A second client sees the same state, and every entry once in the change feed.
        let other = try await PostgresStorageProvider(address: settings, name: name)
        let contents = try await StorageContents(other)
        #expect(contents.entries == saved)
        #expect(contents.changes.map(\.kind) == saved.map { .upserted($0.id) })
        try await other.close()
    }

    /// The last two are errors of a Citus cluster that lost a node.
    @Test(
        arguments: [
            "40001", "40P01", "XX000 postmaster was shut down, exiting",
            "08006 connection to the remote node postgres@worker:5432 failed",
        ], ["heads", "entries", "commits"])
    func `a transaction that the server rejects at any statement is repeated`(
        failure: String, table: String
    ) async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        let first = Self.entry(1)
        try await store.saveEntry(first)
        let rejections = try Rejections(
            state: String(failure.prefix(5)), String(failure.dropFirst(6)), table: table, settings)
        let second = Self.entry(2)
        let revision = try await store.commit(WriteBatch(upserts: [second]))
        #expect(try rejections.count() > Rejections.number, "the transaction was not rejected")
        #expect(revision == Revision(rawValue: 2))
        #expect(try await store.fetchEntries() == [first, second])
        try await store.close()
    }

    @Test func `an internal error before the commit is no unknown outcome`() async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        let rejections = try Rejections(
            state: "XX000", "cache lookup failed for type 7", table: "commits", settings)
        let error = await #expect(throws: StorageError.self) { try await store.saveEntry(Self.entry(1)) }
        #expect(try rejections.count() == 2, "the transaction was repeated")
        #expect(error?.code == .inputOutput && error?.isRetryable == false)
        try await store.close()
    }

    @Test func `writers whose sessions are killed lose nothing`() async throws {
        let fixture = PostgresFixture()
        let settings = try TestServer.settings(application: "killed \(fixture.name)")
        let store = try await PostgresStorageProvider(address: settings, name: fixture.name)
        let entries = (0..<20).map(Self.entry)
        let killer = Task.detached {
            let connection = try Connection(try TestServer.settings())
            // The number is limited, so that the last commits succeed on a slow machine, too.
            for _ in 0..<50 {
                _ = try connection.run(
                    Statement(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = $1::text
                        """,
                        [Parameter(Array("killed \(fixture.name)".utf8))]), CallLimits(.seconds(1200)))
                try await Task.sleep(for: .milliseconds(60))
            }
        }
        for entry in entries { try await store.saveEntry(entry) }
        killer.cancel()
        _ = await killer.result
        #expect(try await store.fetchEntries() == entries)
        #expect(try await store.snapshot().stamp.revision == Revision(rawValue: UInt64(entries.count)))
        try await store.close()
    }

    @Test func `a client that is killed during a commit leaves no partial batch`() async throws {
        let fixture = PostgresFixture()
        let store = try await fixture.provider()
        for round in 0..<6 {
            let process = Process()
            process.executableURL = TestTool.url("postgres-worker")
            process.arguments =
                [fixture.name] + StorageJob(.replaceTogether, first: 0, count: 50).arguments
            try TestTool.start(process)
            // The process is killed after a few of its commits, each time in another phase.
            let before = try await store.snapshot().stamp.revision
            while process.isRunning, try await store.snapshot().stamp.revision.rawValue < before.rawValue + 3
            {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .milliseconds(round * 2))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let found = try await store.fetchEntries().filter { $0.content.hasPrefix("round") }
            #expect(found.count == 50)
            #expect(Set(found.map(\.content)).count == 1, "round \(round)")
            // The killed client holds no lock.
            try await store.saveEntry(Self.entry(1000 + round))
        }
        try await store.close()
    }

    @Test func `a server with an older state is refused until the store is opened again`() async throws {
        let fixture = PostgresFixture()
        let store = try await fixture.provider()
        try await store.saveEntry(Self.entry(1))
        let connection = try Connection(try TestServer.settings())
        let limits = CallLimits(.seconds(1200))
        func execute(_ sql: String) throws {
            _ = try connection.run(Statement(sql, [Parameter(store.store)], isKept: false), limits)
        }
        let copy = "older_\(UUID().uuidString.replacing("-", with: ""))"
        try connection.execute(
            "CREATE TABLE \(copy) AS SELECT * FROM roost.heads WHERE store = '\(store.store)'", limits)
        try await store.saveEntry(Self.entry(2))
        try execute("DELETE FROM roost.heads WHERE store = $1::uuid")
        try connection.execute("INSERT INTO roost.heads SELECT * FROM \(copy)", limits)
        try connection.execute("DROP TABLE \(copy)", limits)
        let error = await #expect(throws: StorageError.self) { try await store.snapshot() }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("older state") == true)
        await #expect(throws: StorageError.self) { try await store.saveEntry(Self.entry(3)) }
        let reopened = try await fixture.provider()
        #expect(try await reopened.snapshot().stamp.revision == Revision(rawValue: 1))
    }
}
