import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostConversations

/// Tests of the dates that questions name.
struct NamedDatesTests {
    private func periods(_ text: String) -> Set<NamedDates.Period> {
        NamedDates(in: text, timeZone: .gmt).periods
    }

    @Test(arguments: [
        "Where did we walk on 3 March 2024?", "on March 3rd, 2024", "the 3rd March 2024", "date 2024-03-03",
        "3 mar 2024",
    ])
    func `a day is named in words and in digits`(text: String) {
        #expect(periods(text) == [.init(year: 2024, month: 3, day: 3)])
    }

    @Test func `a month is named with a year or after a preposition`() {
        #expect(periods("what happened in May") == [.init(year: nil, month: 5, day: nil)])
        #expect(
            periods("in May 2023 or 2023-08") == [
                .init(year: 2023, month: 5, day: nil), .init(year: 2023, month: 8, day: nil),
            ])
        for text in ["may I march", "2023", "version 3.4", "", "in 7", "ISBN 2024-99"] {
            #expect(periods(text).isEmpty, "\(text)")
        }
    }

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
