import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostConversations

/// Tests of the dates that questions name.
struct NamedDatesTests {
    @Test func `of equal messages, only those from the date that a question names are returned`()
        async throws
    {
        let memory = ConversationMemory(
            KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        // The same text on every day of almost two years.
        let daily = (0..<700).map { day in
            MessageDraft(
                role: .user, content: "we walked by the river", timestamp: start + Double(day) * 86_400)
        }
        try await memory.remember(daily, in: ChatScope(userId: "u", sessionId: "s", agentId: "a"))
        var options = RecallOptions(limit: 3, context: 0)
        options.timeZone = .gmt
        let then = try await memory.recall("Where did we walk on 3 March 2024?", options)
        try #require(then.count == 1)
        #expect(DateText.string(from: then[0].message.timestamp).hasPrefix("2024-03-03"))
        // The filter applies as well.
        let filtered = try await memory.recall(
            "Where did we walk on 3 March 2024?", in: .init(until: start + 10 * 86_400), options)
        #expect(filtered.isEmpty)
    }
}
