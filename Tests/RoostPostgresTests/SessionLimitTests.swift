import Foundation
import RoostModel
import RoostTestKit
import Testing

@testable import RoostPostgres

/// Limits of sessions that an administrator sets: their number, their idle time, and space.
@Suite(TestServer.isRequired) struct SessionLimitTests {
    private let limits = CallLimits(.seconds(1200))

    private static func entry(_ number: Int) -> Entry {
        Entry(
            content: "entry \(number)", embeddings: [1, 0, 0, 0], tags: ["t"],
            createdAt: Date(milliseconds: 1_700_000_000_000))
    }

    /// Opens a store through a proxy, with sessions whose transactions may be idle for 150 ms.
    private func impatientStore(
        _ proxy: FaultProxy, retryTimeout: TimeInterval
    ) async throws -> PostgresStorageProvider {
        var options = PostgresStorageProvider.Options()
        options.retryTimeout = retryTimeout
        return try await PostgresStorageProvider(
            address: try TestServer.settings(
                port: proxy.port, ["options": "-c idle_in_transaction_session_timeout=150"]),
            name: TestServer.newName(), options: options)
    }

    @Test func `a commit whose session was idle for too long is repeated`() async throws {
        let proxy = try FaultProxy(serverPort: try #require(try TestServer.settings().port))
        defer { proxy.stop() }
        let store = try await impatientStore(proxy, retryTimeout: 60)
        let first = Self.entry(1)
        try await store.saveEntry(first)
        // The response of the first round trip arrives after the server has ended the session.
        proxy.setDelay(20_000)
        let second = Self.entry(2)
        let batch = WriteBatch(upserts: [second], expecting: .init(revision: Revision(rawValue: 1)))
        async let revision = store.commit(batch)
        try await Task.sleep(for: .milliseconds(600))
        proxy.setDelay(0)
        #expect(try await revision == Revision(rawValue: 2))
        #expect(try await store.fetchEntries() == [first, second])
        try await store.close()
    }

    @Test func `a commit whose sessions are always idle for too long is refused`() async throws {
        let proxy = try FaultProxy(serverPort: try #require(try TestServer.settings().port))
        defer { proxy.stop() }
        let store = try await impatientStore(proxy, retryTimeout: 0.5)
        proxy.setDelay(20_000)
        let error = await #expect(throws: StorageError.self) { try await store.saveEntry(Self.entry(1)) }
        #expect(error?.code == .unavailable)
        #expect(error?.isRetryable == true)
        #expect(error?.message.contains("try again") == true)
        proxy.setDelay(0)
        // On a busy machine, the session of a read can be idle for too long, too.
        var entries: [Entry]?
        let end = ContinuousClock.now + .seconds(1200)
        while entries == nil, ContinuousClock.now < end { entries = try? await store.fetchEntries() }
        #expect(entries == [])
        try await store.close()
    }

    @Test func `a server without free connections is reported`() async throws {
        let role = "role_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try Connection(try TestServer.settings()).execute(
            "CREATE ROLE \(role) LOGIN PASSWORD 'secret' CONNECTION LIMIT 1", limits)
        let settings = try TestServer.settings(["user": role, "password": "secret"])
        let only = try Connection(settings)
        let error = await #expect(throws: StorageError.self) {
            var options = PostgresStorageProvider.Options()
            options.openingTimeout = 0.1
            return try await PostgresStorageProvider(address: settings, name: "any", options: options)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.isRetryable == true)
        #expect(only.isIdle)
    }

    @Test func `calls of a client wait for its only connection`() async throws {
        let store = try await PostgresFixture().provider { $0.maximumConnections = 1 }
        let entries = (0..<20).map(Self.entry)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entry in entries {
                group.addTask { try await store.saveEntry(entry) }
                group.addTask { _ = try await store.fetchEntries() }
            }
            try await group.waitForAll()
        }
        #expect(Set(try await store.fetchEntries().map(\.id)) == Set(entries.map(\.id)))
        try await store.close()
    }

    @Test(arguments: ["heads", "entries", "vectors", "attributes", "commits"])
    func `a commit that the server has no space for leaves nothing`(table: String) async throws {
        let settings = try TestServer.newDatabase()
        let store = try await PostgresStorageProvider(address: settings)
        let first = Self.entry(1)
        try await store.saveEntry(first)
        let rejections = try Rejections(state: "53100", table: table, settings)
        for _ in 0..<Rejections.number {
            let error = await #expect(throws: StorageError.self) { try await store.saveEntry(Self.entry(2)) }
            #expect(error?.code == .full)
            #expect(error?.remedy == .freeSpace)
        }
        #expect(try rejections.count() == Rejections.number + 1)
        #expect(try await store.fetchEntries() == [first])
        let third = Self.entry(3)
        try await store.saveEntry(third)
        #expect(try await store.fetchEntries() == [first, third])
        #expect(try await store.snapshot().stamp.revision == Revision(rawValue: 2))
        try await store.close()
    }
}
