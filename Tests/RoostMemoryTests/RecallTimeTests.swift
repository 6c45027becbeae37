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

    /// Remembers messages of some days in an order that is not that of their times.
    private func rememberDays(_ texts: [String], in memory: ConversationMemory, from start: Date) async throws
    {
        let drafts = texts.enumerated().map {
            MessageDraft(
                role: .user, content: $0.element, timestamp: start + Double($0.offset) * 86_400)
        }
        try await memory.remember(Array(drafts.reversed()), in: scope)
    }

    @Test func `messages of a time are in the order of their times`() async throws {
        let memory = memory()
        let start = try #require(DateText.date(from: "2026-11-09T10:00:00Z"))
        let texts = [
            "The dentist moved my appointment", "we discussed last week", "I moved to Bergen",
            "what happened", "the bread rises", "and so it goes", "a heron",
        ]
        try await rememberDays(texts + ["what happened last week"], in: memory, from: start)
        var options = RecallOptions(limit: 10, context: 0)
        options.timeZone = .gmt
        options.now = start + 8 * 86_400
        let found = try await memory.recall("what happened last week", options)
        #expect(found.map(\.message.content) == texts)
        #expect(found.allSatisfy { $0.score == 1 })
        // A page begins after the messages of the previous one.
        options.limit = 3
        options.offset = 3
        let page = try await memory.search("what happened last week", options)
        #expect(page.recollections.map(\.message.content) == Array(texts[3..<6]))
        #expect(page.count == texts.count)
        // Messages of other times follow.
        (options.limit, options.offset, options.includesAll) = (10, 0, true)
        let all = try await memory.recall("what happened last week", options)
        #expect(all.map(\.message.content) == texts + ["what happened last week"])
        // The newest message comes first if newer messages are preferred.
        options.includesAll = false
        options.recency = RecallOptions.Recency(weight: 1, halfLife: 86_400)
        let recent = try await memory.recall("what happened last week", options)
        #expect(recent.map(\.message.content) == texts.reversed())
    }

    @Test(arguments: ["what happened in November 2026", "what happened in November"])
    func `all messages of a time are listed, even in a large memory`(query: String) async throws {
        let memory = memory()
        let start = try #require(DateText.date(from: "2026-10-31T12:00:00Z"))
        // Four messages a day, of which more than the usual number of candidates are from November.
        let drafts = (0..<140).map { index in
            MessageDraft(
                role: .user, content: "walk \(index) by the river in November",
                timestamp: start + Double(index) * 21_600)
        }
        try await memory.remember(Array(drafts.reversed()), in: scope)
        var options = RecallOptions(limit: 50, context: 0)
        options.timeZone = .gmt
        options.now = start + 60 * 86_400
        let november = drafts.filter {
            let day = $0.timestamp.map(DateText.string(from:)) ?? ""
            return day.hasPrefix("2026-11")
        }
        #expect(november.count == 120)
        var contents: [String] = []
        while true {
            options.offset = contents.count
            let page = try await memory.search(query, options)
            #expect(page.count == november.count && !page.isCut)
            guard !page.recollections.isEmpty else { break }
            contents += page.recollections.map(\.message.content)
        }
        #expect(contents == november.map(\.content))
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
