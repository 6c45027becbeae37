import Foundation
import Roost
import RoostConversations
import RoostModel
import RoostTestKit
import TestSupport
import Testing

/// Tests of remembering and recalling the messages of conversations.
@Suite(.temporaryFolders) struct ConversationMemoryTests {
    private func memory() -> ConversationMemory {
        ConversationMemory(KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
    }

    private let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")

    private func drafts(_ texts: String...) -> [MessageDraft] {
        texts.enumerated().map {
            MessageDraft(
                id: "m\($0.offset)", role: $0.offset % 2 == 0 ? .user : .assistant, content: $0.element,
                timestamp: Date(milliseconds: 1_700_000_000_000 + Int64($0.offset) * 60_000))
        }
    }

    @Test(arguments: ChatStorageLaw.allCases)
    func `a memory conforms to the laws of chat storage`(law: ChatStorageLaw) async throws {
        try await law.check(memory())
    }

    @Test func `a message becomes an entry, and a known message is not added again`() async throws {
        let memory = memory()
        let said = drafts("where do swifts sleep", "on the wing", "", "the storks are back")
        #expect(try await memory.remember(said, in: scope) == report(new: 4))
        #expect(try await memory.remember(said, in: scope) == report(known: 4))
        let more = said + [MessageDraft(id: "m9", role: .user, speaker: "Ada", content: "and the owls")]
        #expect(try await memory.remember(more, in: scope) == report(new: 1, known: 4))
        let messages = try await memory.messages()
        #expect(messages.map(\.number) == [0, 1, 2, 3, 4])
        #expect(messages.map(\.content) == more.map(\.content))
        #expect(messages.map(\.name) == ["m0", "m1", "m2", "m3", "m9"])
        #expect(messages[4].speaker == "Ada" && messages[0].timestamp == said[0].timestamp)
        let entry = try #require(try await memory.store.storage.snapshot().entries([messages[4].id]).first)
        #expect(entry.content == "Ada: and the owls" && entry.metadata["kind"] == .string("message"))
        #expect(entry.source == "chat:u/s/a" && !entry.embeddings.isEmpty)
        // An equal message in another scope is a different message.
        #expect(
            try await memory.remember(said, in: ChatScope(userId: "u", sessionId: "t", agentId: "a")).new == 4
        )
    }

    @Test func `the result of a recall is printed on at most ten lines`() async throws {
        let memory = memory()
        try await memory.remember(
            (0..<20).map { .init(role: .user, content: "swift\n number \($0)") }, in: scope)
        var options = RecallOptions(limit: 15, context: 2)
        options.includesAll = true
        let result = try await memory.search("swift", options)
        let lines = "\(result)".split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 10 && lines[0] == "15 messages:" && lines[9] == "and 7 more", "\(result)")
    }

    private func report(new: Int = 0, known: Int = 0) -> ConversationMemory.Report {
        var report = ConversationMemory.Report()
        (report.new, report.known) = (new, known)
        return report
    }

    @Test func `messages of several agents with the same time are ordered by the bytes of the agents' ids`()
        async throws
    {
        let memory = memory()
        for agent in ["~", "a"] {
            let draft = MessageDraft(role: .user, content: "from \(agent)", timestamp: Date(milliseconds: 5))
            try await memory.remember([draft], in: ChatScope(userId: "u", sessionId: "s", agentId: agent))
        }
        let all = try await memory.fetchAllChats(userId: "u", sessionId: "s")
        #expect(all.map(\.content) == ["from a", "from ~"])
    }

    @Test func `a scope is read back from its source`() {
        for ids in [
            ["a", "b", "c"], ["a.b", "c", ""], ["a", "b.c", ""], ["", "", ""], ["a/b", "%2F", "é"],
            ["e\u{301}", "\u{0}", " "],
        ] {
            let scope = ChatScope(userId: ids[0], sessionId: ids[1], agentId: ids[2])
            #expect(ChatScope(source: scope.source) == scope, "\(scope.source)")
        }
        #expect(ChatScope(source: "file:///a") == nil && ChatScope(source: "chat:a/b") == nil)
    }

    @Test func `recall returns context, respects the filter and stays within the token budget`() async throws
    {
        let memory = memory()
        let said = drafts(
            "good morning", "good morning, what shall we talk about", "the heron stood in the shallow water",
            "did it catch a fish", "yes, a small perch", "how is the garden", "the beans are up")
        try await memory.remember(said, in: scope)
        try await memory.remember(
            drafts("a heron of another user", "indeed"),
            in: ChatScope(userId: "v", sessionId: "s", agentId: "a"))
        let found = try await memory.recall(
            "heron in the water", in: .init(userId: "u"), RecallOptions(limit: 1, context: 2))
        #expect(found.map(\.message.content) == ["the heron stood in the shallow water"])
        #expect(found[0].before.map(\.content) == ["good morning", "good morning, what shall we talk about"])
        #expect(found[0].after.map(\.content) == ["did it catch a fish", "yes, a small perch"])
        #expect(found[0].score > 0 && found[0].similarity > 0)
        let all = try await memory.recall("heron", RecallOptions(limit: 5, context: 0))
        #expect(Set(all.map(\.message.scope.userId)) == ["u", "v"])
        // A neighbor that is itself a recollection is returned only once.
        let several = try await memory.recall(
            "heron fish perch", in: .init(userId: "u"), RecallOptions(limit: 3))
        let shown = several.flatMap { [$0.message] + $0.before + $0.after }.map(\.number)
        #expect(
            Set(several.map(\.message.number)).isDisjoint(
                with: several.flatMap { $0.before + $0.after }.map(\.number)))
        #expect(!shown.isEmpty)
        let tight = try await memory.recall(
            "heron in the water", in: .init(userId: "u"), RecallOptions(limit: 5, context: 2, tokenBudget: 12)
        )
        let count = tight.flatMap { [$0.message] + $0.before + $0.after }
            .reduce(0) { $0 + memory.store.embedder.tokenRanges(in: $1.content).count }
        #expect(count <= 12 && tight.first?.message.number == 2)
    }

    @Test func `a search reports that no message is close, unless the query names a time`() async throws {
        let memory = memory()
        let day = try #require(DateText.date(from: "2024-03-03T12:00:00Z"))
        try await memory.remember(
            ["the heron stood in the water", "the bread rises", "paint the hull", "the choir sings"].map {
                MessageDraft(role: .user, content: $0, timestamp: day)
            }, in: scope)
        // A message of another date is no better than noise, although the query names a date.
        try await memory.remember(
            [
                MessageDraft(
                    role: .user, content: "the tent leaks", timestamp: day.addingTimeInterval(86_400 * 40))
            ], in: scope)
        let unrelated = try await memory.search("quantum chromodynamics lattice")
        #expect(unrelated.hasOnlyNoise && unrelated.nearest.count == 3)
        #expect(try await memory.recall("quantum chromodynamics lattice").isEmpty)
        var options = RecallOptions(limit: 10)
        options.includesAll = true
        let all = try await memory.search("quantum chromodynamics lattice", options)
        #expect(all.recollections.count == 5 && all.nearest.isEmpty)
        options = RecallOptions(limit: 10)
        options.timeZone = .gmt
        let dated = try await memory.search("quantum lattice on 3 March 2024", options)
        #expect(dated.recollections.count == 4 && dated.count == 4 && dated.nearest.isEmpty)
        #expect(dated.recollections.allSatisfy { $0.message.timestamp == day })
        let found = try await memory.search("herron water")
        #expect(found.search.corrections.map(\.corrected) == ["heron"] && found.search.hits.isEmpty)
        #expect(found.recollections.first?.hit.location.source == scope.source)
        options.usesExactWords = true
        #expect(try await memory.search("herron water", options).search.corrections.isEmpty)
    }

    @Test func `words of other conversations and of notes do not decide about corrections`() async throws {
        let memory = memory()
        let other = ChatScope(userId: "other", sessionId: "s", agentId: "a")
        try await memory.remember(
            ["a secret rendezvous", "the lighthuose is a typing error", "the lighthouse sings"].map {
                MessageDraft(role: .user, content: $0)
            }, in: other)
        try await memory.remember(
            ["the lighthouse stood in the water", "the bread rises"].map {
                MessageDraft(role: .user, content: $0)
            }, in: scope)
        try await memory.store.add("the note mentions a zeppelin")
        func corrections(_ query: String, _ filter: ConversationMemory.Filter) async throws -> [String] {
            try await memory.search(query, in: filter).search.corrections.map(\.corrected)
        }
        #expect(try await corrections("rendezvuos", .init(other)) == ["rendezvous"])
        #expect(try await corrections("rendezvuos", .init(scope)) == [])
        #expect(try await corrections("zepellin", .init(scope)) == [])
        #expect(try await corrections("lighthuose", .init(scope)) == ["lighthouse"])
        // The period of a recall hides nothing.
        let future = ConversationMemory.Filter(
            userId: scope.userId, since: Date(timeIntervalSince1970: 4_000_000_000))
        #expect(try await corrections("lighthuose", future) == ["lighthouse"])
    }

    @Test func `a filter selects times`() async throws {
        let memory = memory()
        let now = Date(milliseconds: 1_700_000_000_000)
        for days in [0, 30, 300] {
            try await memory.remember(
                [
                    MessageDraft(
                        id: "\(days)", role: .user, content: "the kestrel hovered over the verge",
                        timestamp: now.addingTimeInterval(-86_400 * Double(days)))
                ], in: ChatScope(userId: "u", sessionId: "\(days)", agentId: "a"))
        }
        var filter = ConversationMemory.Filter.all
        filter.since = now.addingTimeInterval(-86_400 * 40)
        filter.until = now.addingTimeInterval(-86_400)
        #expect(try await memory.recall("kestrel", in: filter).map(\.message.name) == ["30"])
    }

    @Test func `invalid options are rejected, and an empty memory gives empty results`() async throws {
        let memory = memory()
        #expect(try await memory.recall("anything").isEmpty)
        for options in [
            RecallOptions(limit: 0), RecallOptions(context: -1), RecallOptions(tokenBudget: 0),
        ] {
            await #expect(throws: RoostError.self) { try await memory.recall("x", options) }
        }
        await #expect(throws: RoostError.self) { try await memory.recall("  ") }
        await #expect(throws: RoostError.self) {
            try await memory.remember(
                [MessageDraft(role: .user, content: "x", timestamp: .distantFuture.addingTimeInterval(1e15))],
                in: scope)
        }
        #expect(try await memory.forget(.all) == 0)
    }

    @Test func `forgotten messages are removed, and others are kept`() async throws {
        let memory = memory()
        let other = ChatScope(userId: "u", sessionId: "t", agentId: "a")
        try await memory.remember(drafts("one", "two"), in: scope)
        try await memory.remember(drafts("three"), in: other)
        _ = try await memory.store.add("a note that nobody said")
        #expect(try await memory.forget(.init(scope)) == 2)
        #expect(try await memory.messages().map(\.content) == ["three"])
        #expect(try await memory.store.storage.fetchEntries().count == 2)
        #expect(try await memory.store.storage.snapshot().sources().map(\.id).contains(scope.source) == false)
    }

    @Test func `invalid numbers in the metadata do no harm`() async throws {
        let memory = memory()
        try await memory.remember(drafts("the heron", "is here"), in: scope)
        var entries = try await memory.store.storage.fetchEntries()
        for (index, number) in [Int64.max, .min].enumerated() {
            entries[index].metadata["number"] = .integer(number)
        }
        _ = try await memory.store.storage.commit(WriteBatch(upserts: entries))
        #expect(try await memory.recall("heron", RecallOptions(limit: 5, context: 3)).isEmpty == false)
        #expect(try await memory.recall("heron", in: scope, limit: 1).count == 1)
        await #expect(throws: RoostError.self) { try await memory.recall("x", RecallOptions(context: .max)) }
    }

    @Test func `messages of a session with the same time keep the order of their storage`() async throws {
        let memory = memory()
        for number in 0..<12 {
            let draft = MessageDraft(
                role: .user, content: "text \(number)", timestamp: Date(timeIntervalSince1970: 1_700_000_000))
            try await memory.remember(
                [draft], in: ChatScope(userId: "u", sessionId: "s", agentId: "agent \(number * 7 % 12)"))
        }
        #expect(try await memory.sessions().map(\.firstMessage) == ["text 0"])
    }

    @Test func `conversations and sessions are listed`() async throws {
        let memory = memory()
        func date(_ second: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + second) }
        func say(_ role: ConversationRole, _ text: String, _ second: Double) -> MessageDraft {
            MessageDraft(role: role, content: text, timestamp: date(second))
        }
        let other = ChatScope(userId: "u", sessionId: "s", agentId: "b")
        let later = ChatScope(userId: "u", sessionId: "t/../é", agentId: "")
        // The later half is remembered first: summaries are sorted by time, not by number.
        try await memory.remember([say(.user, "second", 10), say(.assistant, "third", 20)], in: scope)
        try await memory.remember([say(.assistant, "zeroth", 0), say(.user, "first", 5)], in: scope)
        try await memory.remember([say(.system, "be kind", 3), say(.assistant, "hello", 30)], in: other)
        let rules = (0..<40).map { say(.system, "rule \($0)", 100 + Double($0)) }
        try await memory.remember(rules + [say(.user, "at last", 200)], in: later)
        let all = try await memory.conversations()
        #expect(all.map(\.agents) == [[""], ["b"], ["a"]])
        #expect(all.map(\.messages) == [41, 2, 4])
        #expect(all.map(\.firstMessage) == ["rule 0", "be kind", "first"])
        #expect(all.map(\.first) == [date(100), date(3), date(0)])
        #expect(all.map(\.last) == [date(200), date(30), date(20)])
        let sessions = try await memory.sessions()
        #expect(sessions.map(\.session) == ["t/../é", "s"])
        #expect(sessions.map(\.agents) == [[""], ["a", "b"]])
        #expect(sessions.map(\.messages) == [41, 6] && sessions[1].firstMessage == "first")
        #expect(try await memory.scopes() == [scope, other, later])
        let some = try await memory.conversations(.init(userId: "u", since: date(10), until: date(31)))
        #expect(some.map(\.messages) == [1, 2] && some[1].firstMessage == "second")
        #expect(try await memory.sessions(.init(userId: "nobody")).isEmpty)
        // Messages with a different source are counted; an entry that only resembles a message is not.
        var entries = try await memory.store.storage.fetchEntries()
        for index in entries.indices where entries[index].content.hasPrefix("rule") {
            entries[index].source = "elsewhere"
        }
        entries.append(Entry(content: "a note", source: "chat:", metadata: ["kind": "message"]))
        _ = try await memory.store.storage.commit(WriteBatch(upserts: entries))
        #expect(try await memory.conversations() == all)
    }

    @Test func `a stored session is remembered once`() async throws {
        let memory = memory()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        var session = StoredSession(
            id: "s", createdAt: date, firstUserMessage: "Where do swifts sleep?", lastAccessedAt: date)
        session.messages = [
            ChatMessage(role: .user, content: "And herons?", timestamp: date),
            ChatMessage(role: .assistant, content: "looking", messageType: .toolUse, timestamp: date),
            ChatMessage(role: .assistant, content: "", timestamp: date),
            ChatMessage(
                role: .init(rawValue: "critic"), content: "Well said.", messageType: .init(rawValue: "score"),
                timestamp: date),
        ]
        let second = try await memory.remember(session, userId: "u", agentId: "a")
        #expect(second.messages.new == 2 && second.omitted == 2)
        let third = try await memory.remember(session, userId: "u", agentId: "a")
        #expect(third.messages.new == 0 && third.messages.known == 2)
        #expect(try await memory.messages().map(\.role.rawValue) == ["user", "critic"])
    }
}
