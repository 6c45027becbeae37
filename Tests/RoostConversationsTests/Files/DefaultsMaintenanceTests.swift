import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostConversations

/// Tests of older schemas, and of damaged data, in user defaults.
struct DefaultsMaintenanceTests {
    /// Returns four sessions in schema 1: one array, with the most recently accessed session first.
    private func schema1() throws -> Data {
        let date = Date(milliseconds: 1_700_000_000_000)
        let sessions = ["c", "a", "b", "d"].map { id in
            StoredSession(
                id: id, createdAt: date, firstUserMessage: "first \(id)", lastAccessedAt: date,
                messages: [ChatMessage(role: .user, content: "of \(id)")])
        }
        return try ConversationMessage.encoder().encode(sessions)
    }

    @Test func `migration from schema 1 keeps the order of sessions`() async throws {
        try await withDefaults { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            defaults.set(try schema1(), forKey: "roost.sessions")
            defaults.synchronize()
            let storage = UserDefaultsSessionStorage(suiteName: suite)
            #expect(try await storage.migrateIfNeeded() == 1)
            #expect(try await storage.getAllSessions().map(\.id) == ["c", "a", "b", "d"])
            #expect(try await storage.getSession(id: "b")?.messages.map(\.content) == ["of b"])
            #expect(defaults.object(forKey: "roost.sessions") == nil)
            try await storage.updateLastAccessed(id: "d")
            let again = UserDefaultsSessionStorage(suiteName: suite)
            #expect(try await again.migrateIfNeeded() == 2)
            #expect(try await again.getAllSessions().map(\.id) == ["d", "c", "a", "b"])
            #expect(try await again.damage().isEmpty)
        }
    }

    @Test func `a damaged session does not affect other sessions`() async throws {
        try await withDefaults { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            let text = String(decoding: try schema1(), as: UTF8.self)
            // Values that are not objects must not crash the process.
            let damaged = Data(
                ("[null,7,\"x\","
                    + text.replacing("\"firstUserMessage\":\"first a\"", with: "\"x\":1").dropFirst())
                    .utf8)
            defaults.set(damaged, forKey: "roost.sessions")
            defaults.synchronize()
            let reported = Mutex<[ConversationDamage<String>]>([])
            let other = UserDefaultsSessionStorage(suiteName: suite)
            let storage = UserDefaultsSessionStorage(suiteName: suite) { damage in
                reported.withLock { $0.append(damage) }
            }
            #expect(try await storage.getAllSessions().map(\.id) == ["c", "b", "d"])
            #expect(reported.withLock { $0.map(\.location) } == ["roost.sessions"])
            // The damaged value is kept until a repair moves it.
            #expect(defaults.data(forKey: "roost.sessions") == damaged)

            let key = "roost.session." + Data("b".utf8).base64EncodedString()
            defaults.set("nonsense", forKey: key)
            defaults.synchronize()
            await #expect { try await storage.getSession(id: "b") } throws: {
                ($0 as? StorageError)?.code == .damaged && "\($0)".contains(key)
            }
            await #expect(throws: StorageError.self) {
                try await storage.saveSession(id: "b", firstMessage: "")
            }
            #expect(try await storage.getAllSessions().map(\.id) == ["c", "d"])
            let aside = try await storage.setDamagedAside()
            #expect(aside.map(\.subject) == ["b", nil])
            #expect(defaults.string(forKey: try #require(aside[0].movedTo)) == "nonsense")
            #expect(defaults.data(forKey: try #require(aside[1].movedTo)) == damaged)
            #expect(try await storage.damage().isEmpty)
            try await storage.saveSession(id: "b", firstMessage: "again")
            #expect(try await storage.getAllSessions().map(\.id) == ["b", "c", "d"])
            // Concurrent changes by two storages of one process are not lost.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for handle in [storage, other] {
                    group.addTask {
                        for number in 0..<20 {
                            try await handle.appendSessionMessages(
                                id: "b", messages: [ChatMessage(role: .user, content: "\(number)")])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.getSession(id: "b")?.messages.count == 40)
        }
    }

    @Test func `a damaged history does not affect other histories`() async throws {
        try await withDefaults { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            let storage = UserDefaultsChatStorage(suiteName: suite)
            func save(_ session: String) async throws {
                try await storage.save(
                    ConversationMessage(role: .user, content: session), userId: "u", sessionId: session,
                    agentId: "a", maxMessages: nil)
            }
            try await save("one")
            try await save("two")
            let name = try JSONEncoder().encode(["u", "one", "a"])
            let key = "roost.chat." + name.base64EncodedString()
            #expect(defaults.object(forKey: key) != nil)
            defaults.set(Data("[{}]".utf8), forKey: key)
            defaults.synchronize()
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "two").count == 1)
            await #expect(throws: StorageError.self) {
                try await storage.fetchAllChats(userId: "u", sessionId: "one")
            }
            await #expect(throws: StorageError.self) { try await save("one") }
            let aside = try await storage.setDamagedAside()
            #expect(aside.map(\.subject?.sessionId) == ["one"])
            #expect(defaults.data(forKey: try #require(aside[0].movedTo)) == Data("[{}]".utf8))
            try await save("one")
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "one").count == 1)
        }
    }
}
