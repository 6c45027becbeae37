import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostConversations

/// Tests of damaged data in user defaults.
struct DefaultsMaintenanceTests {
    @Test func `a damaged session does not affect other sessions`() async throws {
        try await withDefaults { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            let reported = Mutex<[StorageError]>([])
            let other = UserDefaultsSessionStorage(suiteName: suite)
            let storage = UserDefaultsSessionStorage(suiteName: suite) { damage in
                reported.withLock { $0.append(damage) }
            }
            for id in ["d", "b", "c"] { try await storage.saveSession(id: id, firstMessage: id) }
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
            #expect(reported.withLock { $0.map { $0.message.contains(key) } } == [true])
            #expect(defaults.string(forKey: key) == "nonsense")
            try await storage.deleteSession(id: "b")
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
            #expect(defaults.data(forKey: key) == Data("[{}]".utf8))
        }
    }
}
