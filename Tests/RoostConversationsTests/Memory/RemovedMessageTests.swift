import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostConversations

@Suite(.temporaryFolders) struct RemovedMessageTests {
    private let memory = ConversationMemory(
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder()))
    private let scope = ChatScope(userId: "u", sessionId: "s", agentId: "a")

    private func turns(_ texts: [String]) -> [MessageDraft] {
        texts.enumerated().map { index, text in
            MessageDraft(role: index % 2 == 0 ? .user : .assistant, content: text)
        }
    }

    private func new(_ drafts: [MessageDraft], batchSize: Int? = nil) async throws -> Int {
        let report = try await memory.remember(drafts, in: scope, batchSize: batchSize)
        #expect(report.new + report.known == drafts.count)
        return report.new
    }

    private func contents() async throws -> [String] { try await memory.messages().map(\.content) }

    /// Removes the messages with the given texts, as `roost remove` does.
    private func remove(_ texts: String...) async throws {
        let ids = try await memory.messages().filter { texts.contains($0.content) }.map(\.id)
        #expect(try await memory.store.remove(ids) == texts.count)
    }

    private let all = ["my PIN is 4711", "noted", "and the address", "Elm Street", "thanks", "welcome"]

    @Test(arguments: [[0], [1], [2, 3], [0, 1, 2], [3], [2], [0, 3]], [1, 100])
    func `a client that sends removed messages again does not restore them`(
        removed: [Int], batchSize: Int
    ) async throws {
        #expect(try await new(turns(Array(all.prefix(4))), batchSize: batchSize) == 4)
        for index in removed { try await remove(all[index]) }
        let kept = (0..<4).filter { !removed.contains($0) }.map { all[$0] }
        #expect(try await new(turns(Array(all.prefix(4)))) == 0)
        #expect(try await new(turns(all), batchSize: batchSize) == 2)
        #expect(try await contents() == kept + all.suffix(2))
        // The numbers of the removed messages are not used again.
        #expect(try await memory.messages().map(\.number) == (0..<6).filter { !removed.contains($0) })
        #expect(try await new(turns(all)) == 0)
    }

    @Test func `a client need not send removed messages`() async throws {
        #expect(try await new(turns(Array(all.prefix(4)))) == 4)
        try await remove(all[1], all[3])
        let sent = [0, 2].map { MessageDraft(role: .user, content: all[$0]) }
        #expect(try await new(sent + [MessageDraft(role: .assistant, content: "next")]) == 1)
        #expect(try await contents() == [all[0], all[2], "next"])
    }

    @Test func `an undo of the removal restores the messages at their place`() async throws {
        let storage = InMemoryStorageProvider()
        let memory = ConversationMemory(KnowledgeStore(storage: storage, embedder: LexicalEmbedder()))
        let store = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: try TemporaryFolder().url, command: "remove"))
        try await memory.remember(turns(Array(all.prefix(4))), in: scope)
        let ids = try await memory.messages().prefix(2).map(\.id)
        #expect(try await store.remove(Array(ids)) == 2)
        try await store.undo()
        #expect(try await memory.remember(turns(all), in: scope).new == 2)
        #expect(try await memory.messages().map(\.content) == all)
    }

    @Test func `removed messages with names and times stay removed, new ones are stored`() async throws {
        let start = Date(milliseconds: 1_700_000_000_000)
        func draft(_ index: Int) -> MessageDraft {
            MessageDraft(
                id: index % 2 == 0 ? "m\(index)" : nil, role: .user, content: "text \(index)",
                timestamp: start + Double(index))
        }
        let drafts = (0..<6).map(draft)
        #expect(try await new(Array(drafts.prefix(4))) == 4)
        try await remove("text 1", "text 2")
        #expect(try await new(drafts) == 2)
        #expect(try await contents() == ["text 0", "text 3", "text 4", "text 5"])
        // An earlier message that the conversation never had is stored.
        #expect(try await new([draft(9), draft(0)]) == 1)
    }

    @Test
    func `messages with a name or time are new, although one with their text was removed`() async throws {
        let start = Date(milliseconds: 1_700_000_000_000)
        func draft(_ number: Int, hasName: Bool) -> MessageDraft {
            MessageDraft(
                id: hasName ? "m\(number)" : nil, role: .user, content: "go on",
                timestamp: start + Double(number))
        }
        #expect(try await new([MessageDraft(id: "other", role: .user, content: "stop")]) == 1)
        for hasName in [true, false] {
            let removed = draft(hasName ? 0 : 1, hasName: hasName)
            #expect(try await new([removed]) == 1)
            try await remove("go on")
            #expect(try await new([removed]) == 0)
        }
        #expect(try await new([draft(2, hasName: true)]) == 1)
        #expect(try await new([draft(3, hasName: false)]) == 1)
        // A call with a message without both is compared in another way.
        #expect(try await new([draft(4, hasName: true), MessageDraft(role: .user, content: "and")]) == 2)
        #expect(try await contents() == ["stop", "go on", "go on", "go on", "and"])
    }

    @Test func `a removed message with its id as its name stays removed`() async throws {
        #expect(try await new(turns(["yes", "no", "maybe"])) == 3)
        let exported = try await memory.messages().map {
            MessageDraft(id: $0.id.uuidString, role: $0.role, content: $0.content, timestamp: $0.timestamp)
        }
        try await remove("no")
        #expect(try await new(exported) == 0)
        var other = exported[1]
        other.id = "4a2c6e10-0000-4000-8000-000000000000"
        #expect(try await new([other]) == 1)
    }

    @Test func `many equal messages that were removed are compared in bounded time`() async throws {
        let drafts = (0..<700).map { _ in MessageDraft(role: .user, content: "ok") }
        let transcript = Transcript(messages: drafts)
        #expect(try await memory.remember(transcript, in: scope).new == 700)
        let ids = try await memory.messages().dropFirst().map(\.id)
        #expect(try await memory.store.remove(Array(ids)) == 699)
        #expect(try await new(drafts) == 0)
        #expect(try await new(drafts + [MessageDraft(role: .user, content: "new")]) == 1)
    }

    @Test(arguments: [1, 100]) func `an import of a file does not restore removed messages`(
        batchSize: Int
    ) async throws {
        let transcript = Transcript(messages: turns(["yes", "ok", "yes", "ok", "thanks", "bye"]))
        func add(_ count: Int) async throws -> Int {
            var part = transcript
            part.messages = Array(transcript.messages.prefix(count))
            let report = try await memory.remember(part, in: scope, batchSize: batchSize)
            #expect(report.new + report.known == count)
            return report.new
        }
        #expect(try await add(5) == 5)
        // The second "yes" and the first "ok".
        let messages = try await memory.messages()
        #expect(try await memory.store.remove([messages[1].id, messages[2].id]) == 2)
        #expect(try await add(5) == 0)
        #expect(try await add(6) == 1)
        try await remove("thanks", "bye")
        #expect(try await add(6) == 0)
        #expect(try await contents() == ["yes", "ok"])
        // A text that the conversation did not have at this place is new.
        var edited = transcript
        edited.messages.insert(MessageDraft(role: .user, content: "wait"), at: 1)
        #expect(try await memory.remember(edited, in: scope).new == 1)
        // A conversation that was deleted can be imported again.
        #expect(try await memory.forget(.init(scope)) == 3)
        #expect(try await add(6) == 6)
    }

    @Test func `a deleted conversation begins again`() async throws {
        #expect(try await new(turns(all)) == 6)
        #expect(try await memory.forget(.init(scope)) == 6)
        #expect(try await new(turns(all)) == 6)
        #expect(try await memory.messages().map(\.number) == Array(0..<6))
    }

    @Test func `a fingerprint has the last marks`() throws {
        let marks = (0..<3_000).map { _ in
            MessageMark(text: UInt32.random(in: 0..<1 << 24), id: UUID())
        }
        for count in [0, 1, 2, 3, 999, 1_000, 1_001, 3_000] {
            let state = ConversationState(nextNumber: 5_000, marks: Array(marks.prefix(count)))
            #expect(state.marks == Array(marks.prefix(count).suffix(1_000)))
            #expect(ConversationState(fingerprint: state.fingerprint) == state)
        }
        for text in ["chat:7", "chat:7;", "chat:7;!!", "chat:7;AAAA", "chat:0;AAAAAAA="] {
            let state = try #require(ConversationState(fingerprint: text))
            #expect(state.marks.isEmpty && state.nextNumber == (text.hasPrefix("chat:7") ? 7 : 0))
        }
    }
}
