import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

@Suite(.temporaryFolders) struct SessionStorageTests {
    /// The file of a database.
    private let path = TemporaryFolder.unusedURL().appendingPathComponent("s.sqlite").path

    private func messages(_ count: Int) -> [ChatMessage] {
        (0..<count).map { ChatMessage(role: $0 % 2 == 0 ? .user : .assistant, content: "message \($0)") }
    }

    @Test func `a cache notices changes by another storage`() async throws {
        let cache = CachingSessionStorage(wrapping: try SQLiteSessionStorage(databasePath: path))
        let other = try SQLiteSessionStorage(databasePath: path)
        #expect(try await cache.getSession(id: "a") == nil)
        try await other.saveSession(id: "a", firstMessage: "Hello")
        #expect(try await cache.getSession(id: "a")?.firstUserMessage == "Hello")
        for number in 1...20 {
            try await other.appendSessionMessages(id: "a", messages: messages(1))
            #expect(try await cache.getSession(id: "a")?.messages.count == number)
            #expect(try await cache.getAllSessions().first?.messages.count == number)
        }
        try await other.deleteSession(id: "a")
        #expect(try await cache.getAllSessions().isEmpty)
    }

    @Test func `a cache reads unchanged data once, and caches nothing without change tokens`() async throws {
        let counted = CountingStorage()
        try await counted.saveSession(id: "a", firstMessage: "Hello")
        let cache = CachingSessionStorage(wrapping: counted)
        for _ in 0..<3 {
            #expect(try await cache.getSession(id: "a")?.firstUserMessage == "Hello")
            #expect(try await cache.getSession(id: "none") == nil)
            #expect(try await cache.getAllSessions().count == 1)
        }
        #expect(await counted.reads == 3)
        try await cache.updateLastAccessed(id: "a")
        _ = try await cache.getSession(id: "a")
        #expect(await counted.reads == 4)
        let mock = MockSessionStorage()
        try await mock.saveSession(id: "a", firstMessage: "Hello")
        let uncached = CachingSessionStorage(wrapping: mock)
        for _ in 0..<3 { _ = try await uncached.getSession(id: "a") }
        #expect(await mock.calls.count { $0.name == "getSession" } == 3)
    }

    @Test func `a cache is cleared when it is full`() async throws {
        let counted = CountingStorage()
        for id in ["a", "b", "c"] { try await counted.saveSession(id: id, firstMessage: id) }
        let cache = CachingSessionStorage(wrapping: counted, limit: 2)
        for id in ["a", "b", "a", "c", "c", "a"] {
            #expect(try await cache.getSession(id: id)?.firstUserMessage == id)
        }
        #expect(await counted.reads == 4)
        // The list of three sessions exceeds the limit.
        for _ in 0..<2 { #expect(try await cache.getAllSessions().count == 3) }
        #expect(await counted.reads == 6)
        let none = CachingSessionStorage(wrapping: counted, limit: 0)
        for _ in 0..<2 { #expect(try await none.getSession(id: "a") != nil) }
        #expect(await counted.reads == 8)
    }

    private actor CountingStorage: SessionStorageDecorator {
        let base: any SessionStorageProtocol & Sendable = InMemorySessionStorage()
        private(set) var reads = 0
        func getAllSessions() async throws -> [StoredSession] {
            reads += 1
            return try await base.getAllSessions()
        }
        func getSession(id: String) async throws -> StoredSession? {
            reads += 1
            return try await base.getSession(id: id)
        }
    }

    @Test func `calls and their outcomes are logged without texts`() async throws {
        let lines = Mutex<[String]>([])
        let storage = DebugSessionStorage(wrapping: InMemorySessionStorage()) { line in
            lines.withLock { $0.append(line) }
        }
        try await storage.saveSession(id: "a", firstMessage: "a secret")
        try await storage.appendSessionMessages(id: "a", messages: messages(2))
        await #expect(throws: StorageError.self) { try await storage.updateLastAccessed(id: "none") }
        let logged = lines.withLock { $0 }
        #expect(logged.prefix(2) == ["saveSession a …", "saveSession a: done"])
        #expect(logged[3] == "appendSessionMessages a, 2: done")
        #expect(logged.last?.hasPrefix("updateLastAccessed none: ") == true && logged.count == 6)
        #expect(!logged.contains { $0.contains("secret") || $0.contains("message 0") })
    }

    @Test func `decoded dates are rounded to milliseconds`() throws {
        let text = """
            {"id": "a", "createdAt": 1.23456789, "firstUserMessage": "x", "lastAccessedAt": 2.3456789,
            "messages": []}
            """
        let session = try JSONDecoder().decode(StoredSession.self, from: Data(text.utf8))
        #expect(session.createdAt == session.createdAt.wholeMilliseconds)
        #expect(session.lastAccessedAt == session.lastAccessedAt.wholeMilliseconds)
    }

    @Test func `setting the clock back does not decrease the time of the last access`() async throws {
        for storage in [
            InMemorySessionStorage() as any SessionStorageProtocol & Sendable,
            try SQLiteSessionStorage(databasePath: path),
        ] {
            let future = Date().addingTimeInterval(3600).wholeMilliseconds
            try await storage.importSession(
                StoredSession(id: "a", createdAt: future, firstUserMessage: "", lastAccessedAt: future))
            try await storage.saveSession(id: "b", firstMessage: "")
            try await storage.updateLastAccessed(id: "a")
            #expect(try await storage.getAllSessions().map(\.id) == ["a", "b"])
            #expect(try await storage.getSession(id: "a")?.lastAccessedAt == future)
        }
    }

    @Test func `concurrent additions by several storages are not lost`() async throws {
        try await SQLiteSessionStorage(databasePath: path).saveSession(id: "a", firstMessage: "")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let storage = try SQLiteSessionStorage(databasePath: path)
                    for number in 0..<50 {
                        try await storage.appendSessionMessages(
                            id: "a", messages: [ChatMessage(role: .user, content: "\(task).\(number)")])
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await SQLiteSessionStorage(databasePath: path).getSession(id: "a")
        #expect(Set(found?.messages.map(\.content) ?? []).count == 200)
    }

    @Test func `replaced messages are stored completely`() async throws {
        let storage = try SQLiteSessionStorage(databasePath: path)
        try await storage.saveSession(id: "a", firstMessage: "")
        let long = messages(2000)
        try await storage.updateSessionMessages(id: "a", messages: long)
        let more = long + messages(2)
        try await storage.updateSessionMessages(id: "a", messages: more)
        #expect(try await storage.getSession(id: "a")?.messages == more)
        try await storage.updateSessionMessages(id: "a", messages: Array(more.dropFirst(5)))
        #expect(try await storage.getSession(id: "a")?.messages == Array(more.dropFirst(5)))
    }
}
