import Foundation
import Roost
import RoostConversations
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

/// Tests of the tools that remember texts and messages and recall them.
@Suite(.temporaryFolders) struct MemoryToolTests {
    private static let note: JSONValue = "The meeting is on Monday at nine."

    @Test func `a change of an equal entry is reported`() async throws {
        let harness = MCPHarness()
        let first = await harness.call("remember", ["text": Self.note, "title": "Meeting"])
        #expect(first["stored"] == true && first["updated"] == false)
        // White space around a text does not make it another one.
        let spaced: JSONValue = ["text": "\nThe meeting is on Monday at nine. ", "title": "Meeting"]
        let same = await harness.call("remember", spaced)
        #expect(same["stored"] == false && same["updated"] == false && same["id"] == first["id"])
        let other = await harness.call("remember", ["text": Self.note, "title": "Date", "tags": ["work"]])
        #expect(other["stored"] == false && other["updated"] == true && other["id"] == first["id"])
    }

    @Test func `an answer without effect says how to proceed`() async throws {
        let harness = MCPHarness()
        let first = await harness.call("remember", ["text": Self.note])
        let id = try #require(first["id"])
        #expect(first["notices"] == nil)
        func notice(_ tool: String, _ arguments: JSONValue) async -> String {
            await harness.call(tool, arguments)["notices"]?.elements?.first?.string ?? ""
        }
        #expect(await notice("remember", ["text": Self.note]) == "the text was stored before")
        #expect(await notice("forget", ["ids": [id]]) == "nothing was removed")
        #expect(await notice("forget", ["ids": [id], "confirm": true]) == "")
    }

    @Test func `a recalled message has short scores and nothing twice`() async throws {
        let harness = MCPHarness()
        let messages = ["the heron stood in the water", "the bread rises in the kitchen"].map {
            JSONValue.object(["role": "user", "content": .string($0)])
        }
        _ = await harness.call("remember_messages", ["messages": .array(messages), "session": "one"])
        let answer = await harness.call("recall", ["query": "where did the heron stand", "limit": 1])
        let found = try #require(answer["messages"]?.elements?.first?.members)
        #expect(Set(found.keys) == ["message", "score", "similarity", "before", "after"])
        for name in ["score", "similarity"] {
            let number = try #require(found[name]?.double)
            #expect(number > 0 && (number * 1e4).rounded() / 1e4 == number, "\(number)")
        }
        #expect(found["message"]?["session"] == "one")
        // The title of a conversation is not in its messages.
        let draft = MessageDraft(role: .user, content: "the heron flew away", title: "Birds")
        let scope = ChatScope(userId: "u", sessionId: "two", agentId: "a")
        try await ConversationMemory(harness.store).remember([draft], in: scope)
        let titled = await harness.call("recall", ["query": "the heron flew away", "session": "two"])
        #expect(titled["messages"]?.elements?.first?["title"] == "Birds")
    }

    @Test(arguments: ["user", "session", "agent"]) func `an empty name of a conversation is refused`(
        name: String
    ) async throws {
        let harness = MCPHarness()
        let messages: JSONValue = [["role": "user", "content": "hello"]]
        for (tool, arguments) in [
            ("remember_messages", ["messages": messages, name: ""]), ("recall", ["query": "x", name: " "]),
        ] as [(String, [String: JSONValue])] {
            let failure = await harness.call(tool, .object(arguments)).string
            #expect(failure == "'\(name)' is empty; omit it, or give a name")
        }
        #expect(await harness.call("status")["messages"] == 0)
    }

    @Test func `an undo reverts the last call of a tool only`() async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: try TemporaryFolder().url, command: "mcp"))
        let harness = MCPHarness(store: store)
        let id = try #require(await harness.call("remember", ["text": Self.note])["id"])
        _ = await harness.call("remember", ["text": "The swifts nest under the roof."])
        _ = await harness.call("forget", ["ids": [id], "confirm": true])
        // A call that changes nothing keeps the last change.
        _ = await harness.call("remember", ["text": "The swifts nest under the roof."])
        _ = await harness.call("search", ["query": "swifts"])
        let report = try await store.undo()
        #expect(report.restored == 1 && report.removed == 0)
        #expect(await harness.call("status")["entries"] == 2)
        // Changes after an undo can be undone as well.
        _ = await harness.call("remember", ["text": "The bread rises in an hour."])
        #expect(try await store.undo().removed == 1)
    }

    @Test func `update sets and removes the title`() async throws {
        let harness = MCPHarness()
        let id = try #require(await harness.call("remember", ["text": Self.note])["id"])
        let titled = await harness.call("update", ["id": id, "title": "Date"])
        #expect(titled["title"] == "Date" && titled["metadata"] == ["title": "Date"])
        let untitled = await harness.call("update", ["id": id, "title": ""])
        #expect(untitled["metadata"] == [:])
    }

    @Test func `a recall says why it returns no messages, with the nearest ones`() async throws {
        let harness = MCPHarness()
        let empty = await harness.call("recall", ["query": "quantum"])
        #expect(empty["messages"] == [] && empty["notices"] == ["there are no messages yet"])
        _ = await harness.call("remember", ["text": "an entry"])
        #expect(await harness.call("recall", ["query": "quantum"])["notices"] == empty["notices"])
        let filtered = await harness.call("recall", ["query": "quantum", "user": "ann"])
        let texts = ["the heron stood in the water", "the bread rises", "paint the hull", "the choir sings"]
        _ = await harness.call(
            "remember_messages",
            ["messages": .array(texts.map { ["role": "user", "content": .string($0)] })])
        let answer = await harness.call("recall", ["query": "quantum chromodynamics lattice"])
        #expect(answer["messages"] == [])
        #expect(answer["notices"]?.elements?.last?.string?.contains("no message is close") == true)
        let nearest = try #require(answer["nearest"]?.elements)
        #expect(nearest.count == 3)
        #expect(nearest.allSatisfy { texts.contains($0["snippet"]?.string ?? "") && $0["id"] != nil })
        let excluding = await harness.call("recall", ["query": "heron -the -choir -paint"])
        #expect(excluding["messages"] == [])
        #expect(excluding["notices"]?.elements?.last == "no message meets the conditions of the query")
        let none = await harness.call("recall", ["query": "heron", "until": "2000-01-01"])
        #expect(none["messages"] == [] && none["notices"] == filtered["notices"])
        #expect(none["notices"] == ["no message matches the conversation and the period"])
    }
}
