import Foundation
import Roost
import RoostConversations
import RoostTestKit
import TestSupport
import Testing

// The code of the guide *Storing conversations*. The first function is compiled and not run: its
// files belong to the program that follows the guide.

private func saveHistory() async throws -> [ConversationMessage] {
    let store = try SQLiteChatStorage(databasePath: "chats.sqlite")
    try await store.saveMessages(
        [
            ConversationMessage(role: .user, content: "Where do swifts sleep?"),
            ConversationMessage(role: .assistant, content: "On the wing."),
        ], userId: "ada", sessionId: "monday", agentId: "birds", maxMessages: 20)
    let window = try await store.fetch(userId: "ada", sessionId: "monday", agentId: "birds", maxMessages: 20)
    return window
}

private func recall(
    _ drafts: [MessageDraft], _ store: KnowledgeStore
) async throws -> [Recollection] {
    let memory = ConversationMemory(store)  // a KnowledgeStore
    try await memory.remember(drafts, in: ChatScope(userId: "ada", sessionId: "monday", agentId: "birds"))
    let found = try await memory.recall(
        "where do swifts sleep", in: .init(userId: "ada"),
        RecallOptions(limit: 5, context: 1, tokenBudget: 800))
    return found
}

private typealias MyStorage = InMemoryChatStorage

struct ConversationGuideTests {
    @Test(arguments: ChatStorageLaw.basic)
    func `my storage satisfies the law`(law: ChatStorageLaw) async throws { try await law.check(MyStorage()) }

    @Test func `messages are recalled with their neighbors`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        // These messages fill the result, so the answer to the first message is not found by itself.
        for number in 0..<6 {
            let draft = MessageDraft(role: .user, content: "tell me where swifts sleep, \(number)")
            let scope = ChatScope(userId: "ada", sessionId: "\(number)", agentId: "birds")
            try await ConversationMemory(store).remember([draft], in: scope)
        }
        let drafts = [
            MessageDraft(role: .user, content: "where do swifts sleep"),
            MessageDraft(role: .assistant, content: "on the wing"),
        ]
        let found = try await recall(drafts, store)
        #expect(found.count == 5)
        let question = try #require(found.first { $0.message.content == "where do swifts sleep" })
        #expect(question.after.map(\.content) == ["on the wing"])
    }

    /// Any program can write the record of a source. A number near the greatest integer must not overflow.
    @Test func `a message follows a source record with an absurd number`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let memory = ConversationMemory(store)
        let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")
        try await memory.remember([MessageDraft(role: .user, content: "one")], in: scope)
        let snapshot = try await store.storage.snapshot()
        var record = try #require(try await snapshot.sources([scope.source]).first)
        record.fingerprint = record.fingerprint.filter { !$0.isNumber } + "\(Int64.max)"
        _ = try await store.storage.commit(WriteBatch(sources: [record]))
        try await memory.remember([MessageDraft(role: .assistant, content: "two")], in: scope)
        #expect(try await memory.messages().map(\.number) == [0, 1])
    }
}
