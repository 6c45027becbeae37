import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

/// Tests of concurrent storages and of times.
@Suite(.temporaryFolders)
struct SessionStorageTests {
    private func messages(_ count: Int) -> [ChatMessage] {
        (0..<count).map { ChatMessage(role: $0 % 2 == 0 ? .user : .assistant, content: "message \($0)") }
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
        let folder = TemporaryFolder.unusedURL()
        for storage in [
            InMemorySessionStorage() as any SessionStorageProtocol & Sendable,
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
