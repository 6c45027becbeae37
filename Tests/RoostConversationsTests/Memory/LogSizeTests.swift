import Foundation
import Roost
import RoostConversations
import RoostModel
import RoostStorage
import TestSupport
import Testing

/// A database reuses its write-ahead log only if no writer holds a snapshot during a commit.
@Suite(.temporaryFolders) struct LogSizeTests {
    /// The number of rounds, each with at least four commits: 100, or 1,000 for 4,000 commits.
    private static let rounds =
        ProcessInfo.processInfo.environment["ROOST_LOG_ROUNDS"].flatMap { Int($0) } ?? 100
    /// A checkpoint is due at 8 MB, after which the log has the size of one more commit.
    private static let maximumSize = 10 << 20

    @Test func `the log stays short while messages and entries are written`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        var options = SQLiteStorageProvider.Options()
        options.durability = .normal
        let storage = try await SQLiteStorageProvider(databaseURL: url, options: options)
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let memory = ConversationMemory(store)
        var largest = 0
        for round in 0..<Self.rounds {
            let scope = ChatScope(userId: "u", sessionId: "\(round)", agentId: "a")
            let text = String(repeating: "message \(round) about swifts ", count: 40)
            try await memory.remember([MessageDraft(role: .user, content: text)], in: scope)
            try await memory.remember([MessageDraft(role: .assistant, content: text)], in: scope)
            let messages = try await memory.messages(.init(scope))
            #expect(
                try await store.update(messages.map(\.id), EntryChanges(addedTags: ["tag \(round)"])) == 2)
            if round % 4 == 0 { #expect(try await memory.forget(messages) == 2) }
            try await store.add(text)
            largest = max(largest, WriteAheadLog.size(ofDatabase: url.path))
        }
        #expect(largest > 1 << 20 && largest <= Self.maximumSize, "\(largest) bytes")
        try await storage.close()
    }

    @Test func `the log stays short while chats and sessions are written`() async throws {
        let path = try TemporaryFolder().url.appendingPathComponent("conversations.sqlite").path
        let (chats, sessions) = (
            try SQLiteChatStorage(databasePath: path), try SQLiteSessionStorage(databasePath: path)
        )
        let text = String(repeating: "swifts above the roof ", count: 2000)
        var largest = 0
        for round in 0..<Self.rounds {
            try await chats.saveMessages(
                [ConversationMessage(role: .user, content: text)], userId: "u", sessionId: "\(round)",
                agentId: "a", maxMessages: nil)
            let id = "\(round)"
            try await sessions.saveSession(id: id, firstMessage: text)
            try await sessions.appendSessionMessages(id: id, messages: [.init(role: .user, content: text)])
            try await sessions.updateSessionMessages(
                id: id, messages: [.init(role: .user, content: "a swift")])
            try await sessions.updateLastAccessed(id: id)
            largest = max(largest, WriteAheadLog.size(ofDatabase: path))
        }
        #expect(largest > 1 << 20 && largest <= Self.maximumSize, "\(largest) bytes")
    }
}
