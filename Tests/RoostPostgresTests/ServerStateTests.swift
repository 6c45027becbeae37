import Foundation
import RoostModel
import RoostTestKit
import TestSupport
import Testing

@testable import RoostPostgres

/// Servers that are restarted, restored from a copy, or run out of space.
@Suite(.temporaryFolders, TestServer.isRequired, PrivateServer.isRequired)
struct ServerStateTests {
    private let limits = CallLimits(.seconds(1200))

    private static func entry(_ number: Int) -> Entry {
        Entry(
            content: "entry \(number)", embeddings: [1, 0, 0, 0], source: "s", tags: ["t"],
            createdAt: Date(milliseconds: 1_700_000_000_000))
    }

    private func newServer() throws -> PrivateServer {
        try PrivateServer(try #require(PrivateServer.extendedPrograms))
    }

    @Test func `readers and writers continue after the server was restarted`() async throws {
        let server = try newServer()
        try server.start()
        defer { try? server.stop() }
        let store = try await PostgresStorageProvider(address: try server.settings())
        let entries = (0..<400).map(Self.entry)
        let writer = Task {
            for entry in entries {
                try await store.saveEntry(entry)
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        let reader = Task {
            var last = 0
            while last < entries.count {
                let count = try await store.snapshot().stamp.entryCount
                #expect(count >= last)
                last = count
            }
        }
        for shutdown in [PrivateServer.Shutdown.fast, .immediate] {
            let before = try await store.snapshot().stamp.entryCount
            while try await store.snapshot().stamp.entryCount < before + 20 {}
            try server.stop(shutdown)
            try server.start()
        }
        try await writer.value
        try await reader.value
        #expect(try await store.fetchEntries() == entries)
        let contents = try await StorageContents(store)
        #expect(contents.changes.map(\.kind) == entries.map { .upserted($0.id) })
        #expect(try await store.snapshot().stamp.revision.rawValue == UInt64(entries.count))
        try await store.close()
    }

    @Test func `opening a store waits while the server restarts`() async throws {
        let server = try newServer()
        try server.start()
        defer { try? server.stop() }
        let first = try await PostgresStorageProvider(address: try server.settings())
        let entry = Self.entry(1)
        try await first.saveEntry(entry)
        try await first.close()
        try server.stop(.fast)
        var options = PostgresStorageProvider.Options()
        // The test's limit is longer than the default, in case the machine is busy.
        options.openingTimeout = 600
        let settings = try server.settings()
        async let opening = PostgresStorageProvider(address: settings, options: options)
        try await Task.sleep(for: .milliseconds(300))
        try server.start()
        let second = try await opening
        #expect(try await second.fetchEntries() == [entry])
        try await second.close()
    }

    @Test func `opening a store waits only as long as the options permit`() async throws {
        let server = try newServer()
        // The server was never started, so its port is closed.
        func duration(_ limit: TimeInterval) async throws -> Duration {
            var options = PostgresStorageProvider.Options()
            options.openingTimeout = limit
            let settings = try server.settings()
            let start = ContinuousClock.now
            let error = await #expect(throws: StorageError.self) {
                _ = try await PostgresStorageProvider(address: settings, options: options)
            }
            #expect(error?.code == .unavailable)
            return ContinuousClock.now - start
        }
        #expect(try await duration(0.5) > .milliseconds(100))
        #expect(try await duration(0) < .seconds(600))
    }

    @Test func `a restored server is refused, even after others have written to it`() async throws {
        let server = try newServer()
        try server.start()
        defer { try? server.stop() }
        let settings = try server.settings()
        let store = try await PostgresStorageProvider(address: settings)
        try await store.saveEntry(Self.entry(1))
        let follower = try await PostgresStorageProvider(address: settings)
        try server.stop(.fast)
        try server.saveData(as: "older")
        try server.start()
        let lost = Self.entry(2)
        try await store.saveEntry(lost)
        #expect(try await follower.snapshot().stamp.revision == Revision(rawValue: 2))
        try server.stop(.fast)
        try server.restoreData("older")
        try server.start()

        func expectRefusal(_ cause: String) async {
            for handle in [store, follower] {
                let read = await #expect(throws: StorageError.self) { try await handle.snapshot() }
                let write = await #expect(throws: StorageError.self) {
                    try await handle.saveEntry(Self.entry(9))
                }
                for error in [read, write] {
                    #expect(error?.code == .damaged)
                    #expect(error?.remedy == .repairStore)
                    #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
                }
            }
        }
        await expectRefusal("the server has revision 1 of the store")
        // Another client has not seen the lost commit. Its commits reach and exceed the revision that the
        // first clients have seen.
        let other = try await PostgresStorageProvider(address: settings)
        for number in 3...4 {
            try await other.saveEntry(Self.entry(number))
            await expectRefusal("revision 2 of the store on the server differs")
        }
        // After a new epoch, all clients read the store again.
        try await other.renewEpoch()
        let expected = try await other.fetchEntries()
        for handle in [store, follower] {
            #expect(try await handle.fetchEntries() == expected)
            let changes = try await StorageContents(handle).changes.map(\.kind)
            #expect(!changes.contains(.upserted(lost.id)))
        }
    }

    @Test func `a commit that a cluster completes after its acknowledgment is awaited`() async throws {
        let server = try PrivateServer(
            try #require(PrivateServer.extendedPrograms), configuration: ["max_prepared_transactions = 5"])
        try server.start()
        defer { try? server.stop() }
        let settings = try server.settings()
        let cluster = try Connection(settings)
        for sql in DistributionTests.recorder { try cluster.execute(sql, limits) }
        let proxy = try FaultProxy(serverPort: try #require(settings.port))
        defer { proxy.stop() }
        // The proxy ends the first phase of each commit, as a cluster that lost a node in the second one.
        proxy.replace(["COMMIT\0": "PREPARE TRANSACTION 'late'\0"])
        let store = try await PostgresStorageProvider(
            address: try server.settings(["port": "\(proxy.port)", "sslmode": "disable"]))
        let other = try await PostgresStorageProvider(address: settings)
        let (first, second) = (Self.entry(1), Self.entry(2))
        try await store.saveEntry(first)
        #expect(try await other.snapshot().stamp.revision == .zero)
        let canceled = Task { try await store.snapshot() }
        canceled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await canceled.value }
        async let snapshot = store.snapshot()
        async let revision = other.commit(WriteBatch(upserts: [second]))
        try await Task.sleep(for: .milliseconds(500))
        try cluster.execute("COMMIT PREPARED 'late'", limits)
        #expect(try await snapshot.stamp.revision >= Revision(rawValue: 1))
        #expect(try await revision == Revision(rawValue: 2))
        #expect(try await other.fetchEntries() == [first, second])
        // The response to the first phase is lost. The repetition waits for the second phase.
        proxy.set(.init(direction: .toClient, message: 1, text: "PREPARE TRANSACTION", isForwarded: false))
        let third = Self.entry(3)
        async let repeated = store.commit(WriteBatch(upserts: [third]))
        while !proxy.hasFired { try await Task.sleep(for: .milliseconds(5)) }
        try cluster.execute("COMMIT PREPARED 'late'", limits)
        #expect(try await repeated == Revision(rawValue: 3))
        #expect(try await other.snapshot().stamp.revision == Revision(rawValue: 3))
        #expect(try await other.fetchEntries() == [first, second, third])
    }

    @Test(.enabled(if: ReadOnlyMount.isAvailable, "\(ReadOnlyMount.requirement)"))
    func `a commit that fills the disk of the server is refused and leaves nothing`() async throws {
        let server = try newServer()
        let disk = server.folder.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        try server.start(with: .init(folder: disk, megabytes: 24))
        defer { try? server.stop() }
        let administrator = try Connection(try server.settings())
        try administrator.execute("CREATE TABLESPACE small LOCATION '\(disk.path)'", limits)
        try administrator.execute("CREATE DATABASE full_disk TABLESPACE small", limits)
        let settings = try server.settings(["dbname": "full_disk"])
        let store = try await PostgresStorageProvider(address: settings)
        let first = Self.entry(1)
        try await store.saveEntry(first)
        // The server refuses new connections while its disk is full, so one is opened before.
        let earlier = try Connection(settings)
        try earlier.execute("CREATE TABLE reserve AS SELECT generate_series(1, 100000)", limits)
        try earlier.execute("CHECKPOINT", limits)
        // The texts of this batch have 24 MB, which cannot be compressed.
        let text = (0..<(1 << 14)).map { _ in UUID().uuidString }.joined()
        let large = (0..<40).map { number in
            var entry = Self.entry(number + 10)
            entry.content += text
            return entry
        }
        let error = await #expect(throws: StorageError.self) {
            try await store.commit(WriteBatch(upserts: large))
        }
        #expect(error?.code == .full)
        #expect(error?.message.contains("free space on the server") == true)
        #expect(try await store.fetchEntries() == [first])
        #expect(try await store.snapshot().stamp.revision == Revision(rawValue: 1))
        // After some space was freed, a vacuum lets the server use that of the rows again.
        try earlier.execute("DROP TABLE reserve", limits)
        try Connection(settings).execute("VACUUM", limits)
        let second = Self.entry(2)
        try await store.saveEntry(second)
        #expect(try await store.fetchEntries() == [first, second])
        try await store.close()
    }
}
