import Crypto
import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

/// Tests of copying, caching, concurrent storages and damage.
@Suite(.temporaryFolders)
struct SessionStorageTests {
    private func messages(_ count: Int) -> [ChatMessage] {
        (0..<count).map { ChatMessage(role: $0 % 2 == 0 ? .user : .assistant, content: "message \($0)") }
    }

    @Test func `a cache notices changes by another storage`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let path = folder.appendingPathComponent("s.sqlite").path
        for (cache, other) in [
            (
                CachingSessionStorage(wrapping: try SQLiteSessionStorage(databasePath: path)),
                try SQLiteSessionStorage(databasePath: path) as any SessionStorageProtocol & Sendable
            ),
            (
                CachingSessionStorage(
                    wrapping: FileSessionStorage(directory: folder.appendingPathComponent("f"))),
                FileSessionStorage(directory: folder.appendingPathComponent("f"))
            ),
        ] {
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

    @Test func `a cache evicts the session that was read least recently`() async throws {
        let counted = CountingStorage()
        for id in ["a", "b", "c"] { try await counted.saveSession(id: id, firstMessage: id) }
        let cache = CachingSessionStorage(wrapping: counted, limit: 2)
        for id in ["a", "b", "a", "c"] {
            #expect(try await cache.getSession(id: id)?.firstUserMessage == id)
        }
        #expect(await counted.reads == 3)
        // "c" has replaced "b".
        for id in ["a", "c"] { _ = try await cache.getSession(id: id) }
        #expect(await counted.reads == 3)
        _ = try await cache.getSession(id: "b")
        #expect(await counted.reads == 4)
        // The list of three sessions exceeds the limit.
        for _ in 0..<2 { #expect(try await cache.getAllSessions().count == 3) }
        #expect(await counted.reads == 6)
        let none = CachingSessionStorage(wrapping: counted, limit: 0)
        for _ in 0..<2 { #expect(try await none.getSession(id: "a") != nil) }
        #expect(await counted.reads == 8)
    }

    @Test func `copying preserves dates and order, and skips sessions that were copied before`() async throws
    {
        let folder = TemporaryFolder.unusedURL()
        let source = InMemorySessionStorage()
        for number in 0..<10 {
            try await source.importSession(
                StoredSession(
                    id: "\(number)", createdAt: Date(milliseconds: Int64(number) * 1000),
                    firstUserMessage: "first \(number)",
                    lastAccessedAt: Date(milliseconds: Int64(100 - number) * 1000),
                    messages: messages(number)))
        }
        let target = try SQLiteSessionStorage(databasePath: folder.appendingPathComponent("s").path)
        let expected = try await source.getAllSessions()
        try await target.importSession(expected[9])
        try await target.importSession(expected[8])
        let report = try await migrateSessions(from: source, to: target)
        #expect(report.moved == 8 && report.unchanged == 2 && report.withoutDates == 0)
        #expect(try await target.getAllSessions() == expected)
        #expect(try await migrateSessions(from: source, to: target).moved == 0)
        // Copying to a storage that does not store dates preserves the order.
        let plain = PlainStorage()
        let second = try await migrateSessions(from: source, to: plain)
        #expect(second.moved == 10 && second.withoutDates == 10)
        #expect(try await plain.getAllSessions().map(\.id) == expected.map(\.id))
        #expect(try await migrateSessions(from: source, to: plain).moved == 0)
    }

    @Test func `copying does not overwrite sessions that the target has changed`() async throws {
        let (source, target) = (InMemorySessionStorage(), InMemorySessionStorage())
        for id in ["a", "b", "c"] {
            try await source.saveSession(id: id, firstMessage: id)
            try await source.updateSessionMessages(id: id, messages: messages(4))
        }
        try await migrateSessions(from: source, to: target)
        let more = ChatMessage(role: .user, content: "later")
        try await target.appendSessionMessages(id: "a", messages: [more])
        try await source.appendSessionMessages(id: "b", messages: [more])
        try await target.updateSessionMessages(id: "c", messages: [more])
        let report = try await migrateSessions(from: source, to: target)
        #expect(report.moved == 1 && report.conflicts == ["c"])
        #expect(try await target.getSession(id: "a")?.messages.last == more)
        #expect(try await target.getSession(id: "b")?.messages.last == more)
        #expect(try await target.getSession(id: "c")?.messages == [more])
    }

    @Test func `an interrupted change of a session id has no effect and can be repeated`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let storage = FileSessionStorage(directory: folder)
        try await storage.saveSession(id: "old", firstMessage: "x")
        try await storage.appendSessionMessages(id: "old", messages: messages(3))
        func file() throws -> URL {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return folder.appendingPathComponent(try #require(names.first { $0.hasSuffix(".jsonl") }))
        }
        let old = try file()
        try await storage.updateSessionId(oldId: "old", newId: "new")
        // Restores the old file name but not the old record, as if the process had been killed between the
        // two steps.
        try FileManager.default.moveItem(at: try file(), to: old)
        #expect(try await storage.getAllSessions().map(\.id) == ["old"])
        #expect(try await storage.getSession(id: "new") == nil)
        try await storage.appendSessionMessages(id: "old", messages: messages(1))
        try await storage.updateSessionId(oldId: "old", newId: "new")
        try await storage.updateSessionId(oldId: "new", newId: "third")
        try await storage.updateSessionId(oldId: "third", newId: "new")
        #expect(try await storage.getAllSessions().map(\.id) == ["new"])
        #expect(try await storage.getSession(id: "new")?.messages.count == 4)
        try await storage.importSession(
            try #require(try await storage.getSession(id: "new")).named("copy"))
        await #expect(throws: StorageError.self) {
            try await storage.updateSessionId(oldId: "new", newId: "copy")
        }
        #expect(try await storage.getAllSessions().count == 2)
    }

    /// A storage that counts reads.
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

    @Test func `copying reports sessions that differ or cannot be read`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let (source, target) = (InMemorySessionStorage(), InMemorySessionStorage())
        for (id, sourceCount, targetCount) in [("a", 0, 0), ("b", 5, 0), ("c", 0, 5)] {
            try await source.saveSession(id: id, firstMessage: "Hello \(id)")
            try await source.updateSessionMessages(id: id, messages: messages(sourceCount))
            try await target.saveSession(id: id, firstMessage: "Buy milk \(id)")
            try await target.updateSessionMessages(id: id, messages: messages(targetCount))
        }
        let before = try await target.getAllSessions()
        let report = try await migrateSessions(from: source, to: target)
        #expect(Set(report.conflicts) == ["a", "b", "c"] && report.moved + report.unchanged == 0)
        #expect(try await target.getAllSessions() == before)

        let damaged = FileSessionStorage(directory: folder)
        try await damaged.saveSession(id: "intact", firstMessage: "x")
        try await damaged.saveSession(id: "damaged", firstMessage: "y")
        let file = folder.appendingPathComponent(
            SHA256.hash(data: Data("damaged".utf8)).map { String(format: "%02x", $0) }.joined() + ".jsonl"
        )
        try Data("{}\nnonsense\n".utf8).write(to: file)
        let partial = try await migrateSessions(from: damaged, to: InMemorySessionStorage())
        #expect(partial.moved == 1 && partial.unreadable.count == 1)
        // A file with an incomplete first line is corrupt, not empty.
        try Data("{\"session\"".utf8).write(to: file)
        await #expect(throws: StorageError.self) {
            try await damaged.saveSession(id: "damaged", firstMessage: "z")
        }
        await #expect(throws: StorageError.self) {
            try await damaged.updateSessionId(oldId: "intact", newId: "damaged")
        }
        #expect(try Data(contentsOf: file) == Data("{\"session\"".utf8))
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

    /// A storage that implements only the requirements without default implementations.
    private actor PlainStorage: SessionStorageProtocol {
        private let storage = InMemorySessionStorage()
        func saveSession(id: String, firstMessage: String) async throws {
            try await storage.saveSession(id: id, firstMessage: firstMessage)
        }
        func getAllSessions() async throws -> [StoredSession] { try await storage.getAllSessions() }
        func getSession(id: String) async throws -> StoredSession? { try await storage.getSession(id: id) }
        func updateLastAccessed(id: String) async throws { try await storage.updateLastAccessed(id: id) }
        func deleteSession(id: String) async throws { try await storage.deleteSession(id: id) }
        func deleteAllSessions() async throws { try await storage.deleteAllSessions() }
        func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
            try await storage.updateSessionMessages(id: id, messages: messages)
        }
        func updateSessionId(oldId: String, newId: String) async throws {
            try await storage.updateSessionId(oldId: oldId, newId: newId)
        }
    }

    @Test func `pruning deletes old sessions and keeps the most recent ones`() async throws {
        let storage = InMemorySessionStorage()
        for number in 0..<6 {
            let date = Date(milliseconds: Int64(number) * 1000)
            try await storage.importSession(
                StoredSession(id: "\(number)", createdAt: date, firstUserMessage: "", lastAccessedAt: date))
        }
        let limit = Date(milliseconds: 4000)
        #expect(
            try await pruneSessions(in: storage, accessedBefore: limit, keeping: 4, isDryRun: true)
                == ["1", "0"])
        #expect(try await storage.getAllSessions().count == 6)
        #expect(try await pruneSessions(in: storage, accessedBefore: limit, keeping: 4) == ["1", "0"])
        #expect(try await pruneSessions(in: storage, accessedBefore: limit) == ["3", "2"])
        #expect(try await storage.getAllSessions().map(\.id) == ["5", "4"])
    }

    @Test func `setting the clock back does not decrease the time of the last access`() async throws {
        let folder = TemporaryFolder.unusedURL()
        for storage in [
            InMemorySessionStorage() as any SessionStorageProtocol & Sendable,
            FileSessionStorage(directory: folder),
            try SQLiteSessionStorage(databasePath: folder.appendingPathComponent("s").path),
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

    @Test func `a damaged file affects only its session`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let storage = FileSessionStorage(directory: folder)
        for id in ["a", "b"] { try await storage.saveSession(id: id, firstMessage: id) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(names.first { $0.hasSuffix(".jsonl") })
        let intact = try Data(contentsOf: folder.appendingPathComponent(name))
        try Data("nonsense\n".utf8).write(to: folder.appendingPathComponent(name))
        #expect(try await storage.getAllSessions().count == 1)
        #expect(try await storage.setDamagedAside().count == 1)
        #expect(try await storage.getAllSessions().count == 1)
        // A killed process may leave an incomplete last line, which is ignored.
        let other = try #require(names.last { $0.hasSuffix(".jsonl") && $0 != name })
        let rest = try Data(contentsOf: folder.appendingPathComponent(other))
        try (rest + intact.prefix(20)).write(to: folder.appendingPathComponent(other))
        let remaining = try #require(try await storage.getAllSessions().first)
        try await storage.appendSessionMessages(id: remaining.id, messages: messages(3))
        #expect(try await storage.getSession(id: remaining.id)?.messages.count == 3)
    }

    @Test func `a folder that cannot be listed is not treated as empty`() async throws {
        let folder = TemporaryFolder.unusedURL()
        #expect(try await FileSessionStorage(directory: folder).getAllSessions().isEmpty)
        try Data("a file".utf8).write(to: folder)
        await #expect(throws: StorageError.self) {
            try await FileSessionStorage(directory: folder).getAllSessions()
        }
        await #expect(throws: StorageError.self) {
            try await FileChatStorage(directory: folder).fetchAllChats(userId: "u", sessionId: "s")
        }
    }

    @Test func `concurrent additions by several storages are not lost`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let path = folder.appendingPathComponent("s").path
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
        let folder = TemporaryFolder.unusedURL()
        let storage = try SQLiteSessionStorage(databasePath: folder.appendingPathComponent("s").path)
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

extension StoredSession {
    fileprivate func named(_ id: String) -> StoredSession {
        var session = self
        session.id = id
        return session
    }
}
