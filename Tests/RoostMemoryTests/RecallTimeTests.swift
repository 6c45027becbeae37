import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

@testable import RoostMemory

/// Tests of the times that questions name.
struct RecallTimeTests {
    private func memory() -> ConversationMemory {
        ConversationMemory(KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
    }

    private let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")

    @Test func `messages from the time that a question mentions come first, even in a large memory`()
        async throws
    {
        let memory = memory()
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        // The same text on every day of almost two years.
        let daily = (0..<700).map { day in
            MessageDraft(
                role: .user, content: "we walked by the river", timestamp: start + Double(day) * 86_400)
        }
        try await memory.remember(daily, in: scope)
        var options = RecallOptions(limit: 3, context: 0)
        options.timeZone = .gmt
        options.now = start + 699 * 86_400
        let then = try await memory.recall("Where did we walk on 3 March 2024?", options)
        #expect(
            then.first.map { DateText.string(from: $0.message.timestamp) }?.hasPrefix("2024-03-03") == true)
        options.includesAll = true
        let all = try await memory.recall("Where did we walk on 3 March 2024?", options)
        try #require(all.count == 3)
        #expect(all[0].message == then.first?.message && all[0].score > all[1].score)
        let lately = try await memory.recall("where did we walk yesterday", options)
        #expect(lately[0].message.timestamp == start + 698 * 86_400)
        options.readsTimes = false
        let anytime = try await memory.recall("Where did we walk on 3 March 2024?", options)
        #expect(anytime[0].score == anytime[1].score)
        // The filter applies as well.
        options.readsTimes = true
        let filtered = try await memory.recall(
            "where did we walk yesterday", in: .init(until: start + 10 * 86_400), options)
        #expect(filtered.allSatisfy { $0.message.timestamp < start + 10 * 86_400 } && filtered.count == 3)
    }

    @Test(
        arguments: [
            "What happened on 13 November 2026?", "What did I do on November 13th, 2026?",
            "what did we talk about 3 days ago", "messages from 2026-11-13",
            "quantum chromodynamics on 13 November 2026", "what did we discuss last Friday?",
            "what was said on Friday",
        ])
    func `a question that names only a time gets the messages of that time`(query: String) async throws {
        let memory = memory()
        let texts = [
            "In November 2026 the heron stood in the water", "the bread rises on 12 November",
            "The dentist moved my appointment", "I moved to Bergen", "what happened in 2026",
        ]
        let start = try #require(DateText.date(from: "2026-11-10T10:00:00Z"))
        try await memory.remember(
            texts.enumerated().map {
                MessageDraft(
                    role: .user, content: $0.element,
                    timestamp: start.addingTimeInterval(Double($0.offset) * 86_400))
            }, in: scope)
        var options = RecallOptions(limit: 4, context: 0)
        options.timeZone = .gmt
        options.now = start.addingTimeInterval(6 * 86_400)
        #expect(try await memory.recall(query, options).map(\.message.content) == ["I moved to Bergen"])
        options.includesAll = true
        let all = try await memory.recall(query, options)
        #expect(all.count == 4 && all[0].message.content == "I moved to Bergen")
        #expect(all[0].score > all[1].score)
    }

    @Test func `a question with a subject gets the messages about it, whatever their time`() async throws {
        let memory = memory()
        let day = try #require(DateText.date(from: "2026-11-10T10:00:00Z"))
        try await memory.remember(
            ["the heron stood in the water", "the bread rises"].enumerated().map {
                MessageDraft(
                    role: .user, content: $0.element,
                    timestamp: day.addingTimeInterval(Double($0.offset) * 86_400))
            }, in: scope)
        var options = RecallOptions(limit: 2, context: 0)
        options.timeZone = .gmt
        let found = try await memory.recall("the heron in the water on 11 November 2026", options)
        #expect(found.first?.message.content == "the heron stood in the water")
    }
}
