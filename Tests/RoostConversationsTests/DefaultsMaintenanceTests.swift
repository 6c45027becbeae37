import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostConversations

/// Older schemas, and what cannot be read, in the user's defaults.
struct DefaultsMaintenanceTests {
    /// Four sessions as schema 1 had them: the last touched first.
    private func schema1() throws -> Data {
        let date = Date(milliseconds: 1_700_000_000_000)
        let sessions = ["c", "a", "b", "d"].map { id in
            StoredSession(
                id: id, createdAt: date, firstUserMessage: "first \(id)", lastAccessedAt: date,
                messages: [ChatMessage(role: .user, content: "of \(id)")])
        }
        return try ConversationMessage.encoder().encode(sessions)
    }

    @Test func `sessions of one value are given keys of their own, in their order`() async throws {
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

    @Test func `one session that cannot be read stops no other`() async throws {
        try await withDefaults { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            let text = String(decoding: try schema1(), as: UTF8.self)
            // Values that are no sessions at all must not end the process.
            let broken = Data(
                ("[null,7,\"x\","
                    + text.replacing("\"firstUserMessage\":\"first a\"", with: "\"x\":1").dropFirst())
                    .utf8)
            defaults.set(broken, forKey: "roost.sessions")
            defaults.synchronize()
            let told = Mutex<[ConversationDamage<String>]>([])
            let other = UserDefaultsSessionStorage(suiteName: suite)
            let storage = UserDefaultsSessionStorage(suiteName: suite) { damage in
                told.withLock { $0.append(damage) }
            }
            #expect(try await storage.getAllSessions().map(\.id) == ["c", "b", "d"])
            #expect(told.withLock { $0.map(\.place) } == ["roost.sessions"])
            // What could not be brought over stays as it was until somebody says otherwise.
            #expect(defaults.data(forKey: "roost.sessions") == broken)

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
            #expect(defaults.string(forKey: try #require(aside[0].aside)) == "nonsense")
            #expect(defaults.data(forKey: try #require(aside[1].aside)) == broken)
            #expect(try await storage.damage().isEmpty)
            try await storage.saveSession(id: "b", firstMessage: "anew")
            #expect(try await storage.getAllSessions().map(\.id) == ["b", "c", "d"])
            // Two handles of one process lose nothing.
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

    @Test func `a history of the defaults that cannot be read stops no other`() async throws {
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
            #expect(defaults.data(forKey: try #require(aside[0].aside)) == Data("[{}]".utf8))
            try await save("one")
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "one").count == 1)
        }
    }
}
