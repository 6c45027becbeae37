import Foundation
import Roost
import RoostConversations
import RoostModel
import TestSupport
import Testing

/// Tests of remembering messages without names and times, which continue a conversation.
@Suite(.temporaryFolders) struct ConversationContinuationTests {
    private let memory = ConversationMemory(
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
    private let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")

    /// Returns turns of the user and the assistant in alternation; a text with the prefix `system:` is one of
    /// the system.
    private func turns(_ texts: [String]) -> [MessageDraft] {
        var count = 0
        return texts.map { text in
            guard !text.hasPrefix("system:") else { return MessageDraft(role: .system, content: text) }
            count += 1
            return MessageDraft(role: count % 2 == 1 ? .user : .assistant, content: text)
        }
    }

    private func new(_ drafts: [MessageDraft], batchSize: Int? = nil) async throws -> Int {
        let report = try await memory.remember(drafts, in: scope, batchSize: batchSize)
        #expect(report.new + report.known == drafts.count)
        return report.new
    }

    private func contents() async throws -> [String] { try await memory.messages().map(\.content) }

    @Test func `a text that recurs in a later call is stored again`() async throws {
        for (text, reply) in [("yes", "which one"), ("yes", "done"), ("yes", "fine")] {
            #expect(try await new(turns([text, reply])) == 2)
            // A repeated call adds nothing.
            #expect(try await new(turns([text, reply])) == 0)
        }
        #expect(try await contents() == ["yes", "which one", "yes", "done", "yes", "fine"])
        #expect(try await memory.messages().map(\.number) == Array(0..<6))
    }

    @Test func `a client may send the whole conversation each time`() async throws {
        let all = turns(["yes", "ok", "yes", "ok", "thanks", "ok", "yes", "bye"])
        for count in 1...all.count { #expect(try await new(Array(all.prefix(count))) == 1) }
        #expect(try await contents() == all.map(\.content))
        // A transcript with the same messages is the same conversation.
        #expect(try await memory.remember(Transcript(messages: all), in: scope).new == 0)
    }

    @Test func `instructions of the system are stored once`() async throws {
        #expect(try await new(turns(["system: be kind", "hello", "hi"])) == 3)
        #expect(try await new(turns(["system: be kind", "hello", "hi", "yes", "ok"])) == 2)
        #expect(try await new(turns(["system: be brief", "hello", "hi", "yes", "ok", "yes"])) == 2)
        #expect(try await new(turns(["system: be kind", "hello", "hi", "yes", "ok", "yes"])) == 0)
        let stored = ["system: be kind", "hello", "hi", "yes", "ok", "system: be brief", "yes"]
        #expect(try await contents() == stored)
    }

    @Test func `the role and the speaker distinguish messages, and empty speakers do not`() async throws {
        func say(_ speaker: String?) -> [MessageDraft] {
            [MessageDraft(role: .user, speaker: speaker, content: "yes")]
        }
        #expect(try await new(say("Ada")) == 1)
        #expect(try await new(say("Ada")) == 0)
        #expect(try await new(say("Ben")) == 1)
        #expect(try await new(say(nil)) == 1)
        #expect(try await new(say("")) == 0)
        #expect(try await new([MessageDraft(role: .tool, content: "yes")]) == 1)
    }

    @Test func `messages with a name or a time keep their identity`() async throws {
        let time = Date(milliseconds: 1_700_000_000_000)
        let first = [
            MessageDraft(role: .user, content: "yes"),
            MessageDraft(role: .assistant, content: "ok", timestamp: time),
            MessageDraft(id: "m", role: .user, content: "thanks"),
        ]
        #expect(try await new(first) == 3)
        #expect(try await new(first) == 0)
        #expect(try await new([MessageDraft(role: .assistant, content: "bye")]) == 1)
        // The names and times are known, although the conversation has continued; the rest is a new turn.
        #expect(try await new(first) == 1)
        #expect(try await contents() == ["yes", "ok", "thanks", "bye", "yes"])
    }

    @Test func `the same message of a client that leaves out the times is known`() async throws {
        let timed = turns(["yes", "ok"]).enumerated().map { index, draft in
            var draft = draft
            draft.timestamp = Date(milliseconds: 1_700_000_000_000 + Int64(index))
            return draft
        }
        #expect(try await new(timed) == 2)
        #expect(try await new(turns(["yes", "ok", "yes"])) == 1)
    }

    @Test(arguments: [1, 2, 3, 100])
    func `batches do not change which messages are new`(size: Int) async throws {
        #expect(try await new(turns(["yes", "ok"]), batchSize: size) == 2)
        // The second batch begins with a message that the conversation then ends with.
        let texts = ["yes", "ok", "yes", "ok", "yes", "ok"]
        #expect(try await new(turns(texts), batchSize: size) == 4)
        #expect(try await contents() == texts)
    }

    @Test func `a transcript can be added again at any time`() async throws {
        let transcript = Transcript(messages: turns(["yes", "ok", "yes", "bye"]))
        #expect(try await memory.remember(transcript, in: scope, batchSize: 3).new == 4)
        #expect(try await new(turns(["yes", "again"])) == 2)
        #expect(try await memory.remember(transcript, in: scope, batchSize: 3).known == 4)
        var longer = transcript
        longer.messages += turns(["one more"])
        #expect(try await memory.remember(longer, in: scope).new == 1)
    }

    @Test func `a free number is found after any number of equal messages`() async throws {
        for count in 1...12 {
            #expect(try await new([MessageDraft(role: .user, content: "go on")]) == 1)
            #expect(try await new([MessageDraft(role: .assistant, content: "part \(count)")]) == 1)
        }
        let messages = try await memory.messages()
        #expect(messages.count == 24)
        // Gaps at the places where the search for a free number doubles it.
        let removed = [0, 2, 4, 8].map { messages[2 * $0] }
        #expect(try await memory.forget(removed) == 4)
        for count in 1...6 {
            #expect(try await new([MessageDraft(role: .user, content: "go on")]) == 1)
            #expect(try await new([MessageDraft(role: .assistant, content: "more \(count)")]) == 1)
        }
        #expect(try await memory.messages().count == 32)
    }

    @Test func `an edited message is still the same message`() async throws {
        let all = turns(["my name is Ida", "hello", "I am from Oslo", "fine"])
        #expect(try await new(Array(all.prefix(3))) == 3)
        let messages = try await memory.messages()
        for (number, text) in [(0, "my name is Ada"), (2, "I am from Bergen")] {
            var changes = EntryChanges()
            changes.content = text
            try await memory.store.update(messages[number].id, changes)
        }
        // The client knows the original texts, and may have seen the new ones.
        #expect(try await new(all) == 1)
        #expect(try await new(turns(["my name is Ada", "hello", "I am from Bergen", "fine"])) == 0)
        #expect(try await contents() == ["my name is Ada", "hello", "I am from Bergen", "fine"])
    }

    @Test func `restored messages are not the last ones`() async throws {
        let texts = ["yes", "one", "two", "three", "four"]
        for text in texts { #expect(try await new([MessageDraft(role: .user, content: text)]) == 1) }
        let first = try await memory.messages()[0]
        let entries = try await memory.store.storage.snapshot().entries([first.id])
        #expect(try await memory.forget([first]) == 1)
        // As an undo does: the entry of the first message becomes the last one.
        _ = try await memory.store.storage.commit(WriteBatch(upserts: entries))
        #expect(try await contents() == texts)
        let record = try await memory.store.storage.snapshot().sources([scope.source]).first
        #expect(record?.entryIDs.last == first.id)
        #expect(try await new([MessageDraft(role: .user, content: "four")]) == 0)
        #expect(try await new(["three", "four"].map { MessageDraft(role: .user, content: $0) }) == 0)
        #expect(try await new([MessageDraft(role: .user, content: "yes")]) == 1)
        #expect(try await contents() == texts + ["yes"])
    }

    @Test func `a conversation without its source record continues`() async throws {
        #expect(try await new(turns(["yes", "ok"])) == 2)
        let entries = try await memory.store.storage.fetchEntries()
        let other = ConversationMemory(
            KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
        _ = try await other.store.storage.commit(WriteBatch(upserts: entries))
        #expect(try await other.remember(turns(["yes", "ok", "yes"]), in: scope).new == 1)
        #expect(try await other.messages().map(\.content) == ["yes", "ok", "yes"])
        #expect(try await other.messages().map(\.number) == [0, 1, 2])
    }

    @Test func `concurrent writers do not lose equal texts`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let stores = [
            try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder()),
            try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() },
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask { [scope] in
                    for turn in 0..<10 {
                        let drafts = [
                            MessageDraft(role: .user, content: "question \(number) \(turn)"),
                            MessageDraft(role: .assistant, content: "yes"),
                        ]
                        try await ConversationMemory(store).remember(drafts, in: scope)
                    }
                }
            }
            try await group.waitForAll()
        }
        let messages = try await ConversationMemory(stores[0]).messages()
        #expect(messages.map(\.number) == Array(0..<40))
        // The messages of a call stay together.
        #expect(messages.enumerated().allSatisfy { ($0.offset % 2 == 1) == ($0.element.content == "yes") })
        for store in stores { try await store.close() }
    }
}
