import Foundation
import Roost
import RoostConversations
import RoostModel
import Synchronization
import Testing

@testable import RoostServer

/// Tests of servers that show only a part of a store.
struct IsolationTests {
    private static let work: AccessRules = {
        var rules = AccessRules()
        rules.tags = ["work"]
        return rules
    }()

    private static let conversation: AccessRules = {
        var rules = AccessRules()
        rules.scope = ChatScope(userId: "ann", sessionId: "default", agentId: "default")
        return rules
    }()

    @Test func `a remembered text does not make an equal hidden entry visible`() async throws {
        let harness = MCPHarness(Self.work)
        let text = "the code of the vault is 4711"
        let hidden = try await harness.store.add(text, tags: ["private"], metadata: ["from": "diary"])
        let stored = await harness.call("remember", ["text": .string(text)])
        #expect(stored["stored"] == true)
        let id = try #require(stored["id"]?.string)
        #expect(id != hidden.id.text)
        let entry = await harness.call("fetch", ["id": .string(id)])
        #expect(entry["tags"] == ["work"])
        #expect(entry["metadata"] == [:])
        // The visible entry is found again.
        let again = await harness.call("remember", ["text": .string(text)])
        #expect(again["stored"] == false)
        #expect(again["id"]?.string == id)
        _ = await harness.call("forget", ["ids": [.string(id)], "confirm": true])
        let kept = try #require(try await harness.store.storage.snapshot().entries([hidden.id]).first)
        #expect(kept.tags == ["private"])
        #expect(kept.metadata == ["from": "diary"])
    }

    @Test func `the source of a remembered text does not tell whether a hidden entry has the text`()
        async throws
    {
        let open = MCPHarness()
        let hidden = try await open.store.add("the code of the vault is 4711", tags: ["private"])
        func remember(_ text: String, _ rules: AccessRules) async throws -> (entry: Entry, isNew: Bool) {
            let answer = await MCPHarness(rules, store: open.store).call(
                "remember", ["text": .string(text)])
            let id = try #require(answer["id"]?.string.flatMap(UUID.init))
            let entry = try #require(try await open.store.storage.snapshot().entries([id]).first)
            return (entry, answer["stored"] == true)
        }
        let guessed = try await remember("the code of the vault is 4711", Self.work)
        let other = try await remember("the code of the vault is 1234", Self.work)
        #expect(guessed.isNew && other.isNew)
        #expect(guessed.entry.id != hidden.id)
        #expect(guessed.entry.source == other.entry.source)
        // Another server with the same tags finds the entry again, whatever else it shows.
        var same = Self.work
        same.scope = Self.conversation.scope
        let again = try await remember("the code of the vault is 4711", same)
        #expect(again.entry.id == guessed.entry.id && !again.isNew)
        // A server with other tags has another source, and one without limits has the shared source.
        var rules = AccessRules()
        rules.tags = ["garden", "work"]
        let source = try await remember("roses need water", rules).entry.source
        #expect(source != guessed.entry.source && source?.hasPrefix("add:") == true)
        #expect(try await remember("beans need poles", AccessRules()).entry.source == "add")
        // A visible entry of the shared source is found again.
        let shared = try await open.store.add("the gate is green", tags: ["work"])
        #expect(try await remember("the gate is green", Self.work).entry.id == shared.id)
    }

    @Test func `an equal text of a changed entry is stored without changing hidden entries`() async throws {
        let open = MCPHarness()
        let harness = MCPHarness(Self.work, store: open.store)
        // The hidden entry has the text, too, and was stored first.
        let hidden = try await open.store.add("the code of the vault is 4711", tags: ["private"])
        let id = try #require(await harness.call("remember", ["text": "the code is unknown"])["id"])
        _ = await harness.call("update", ["id": id, "text": "the code of the vault is 4711"])
        let again = await harness.call(
            "remember",
            ["text": "the code of the vault is 4711", "tags": ["vault"]])
        #expect(again["stored"] == true && again["id"] != id)
        let kept = try #require(try await open.store.storage.snapshot().entries([hidden.id]).first)
        #expect(kept.tags == ["private"])
        // A hidden entry that was changed is not found.
        let changed = try await open.store.add("the lock is old", tags: ["private"])
        var changes = EntryChanges()
        changes.content = "the lock is new"
        _ = try await open.store.update(changed.id, changes)
        let added = await harness.call("remember", ["text": "the lock is new"])
        #expect(added["stored"] == true && added["id"] != .string(changed.id.text))
    }

    /// An embedder before whose first result another process adds a text.
    private final class RacingEmbedder: Embedder {
        private let base = LexicalEmbedder()
        private let competitor: KnowledgeStore
        private let hasAdded = Mutex(false)
        let maximumTokens: Int? = nil
        var space: EmbeddingSpace { base.space }

        init(_ competitor: KnowledgeStore) { self.competitor = competitor }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            let isFirst = hasAdded.withLock { hasAdded in
                defer { hasAdded = true }
                return !hasAdded
            }
            if isFirst { try await competitor.add(texts[0], tags: ["private"]) }
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    @Test func `a hidden text that is added at the same time does not become visible`() async throws {
        let storage = InMemoryStorageProvider()
        let competitor = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let store = KnowledgeStore(storage: storage, embedder: RacingEmbedder(competitor))
        let answer = await MCPHarness(Self.work, store: store).call("remember", ["text": "the lock is old"])
        #expect(answer["stored"] == true)
        let tags = try await storage.fetchEntries().map(\.tags)
        #expect(Set(tags) == [["private"], ["work"]])
    }

    @Test func `cursors and notices do not tell how many entries are hidden`() async throws {
        let open = MCPHarness()
        func notices(_ rules: AccessRules) async -> JSONValue? {
            await MCPHarness(rules, store: open.store).call("search", ["query": "note"])["notices"]
        }
        let before = await notices(Self.work)
        #expect(before == ["the part of the store that this server shows has no entries"])
        try await open.store.add("a private note")
        #expect(await notices(Self.work) == before)

        let harness = MCPHarness(Self.work, store: open.store)
        for number in 0..<3 { try await open.store.add("note number \(number)", tags: ["work"]) }
        let page = await harness.call("search", ["query": "note", "limit": 2])
        let text = try #require(page["nextCursor"]?.string)
        let data = try #require(Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/")))
        var cursor = try JSONDecoder().decode(PageCursor.self, from: data)
        for offset in [4, 5, 1_000, Int(UInt32.max)] {
            cursor.position = offset
            let answer = await harness.call(
                "search", ["query": "note", "limit": 2, "cursor": .string(cursor.text)])
            #expect(answer["results"] == [])
            #expect(answer["notices"] == [.string("there are no entries after the first \(offset)")])
        }
    }

    /// Rare words count more, so the order would tell which word hidden entries contain.
    @Test func `the order of results does not tell which words hidden entries contain`() async throws {
        var orders: [[String]] = []
        for word in ["boat", "zebra"] {
            let harness = MCPHarness(Self.work)
            for text in ["a zebra in the park", "a boat in the park", "bread in the oven"] {
                try await harness.store.add(text, tags: ["work"])
            }
            for number in 0..<20 { try await harness.store.add("the secret \(word) number \(number)") }
            let answer = await harness.call("search", ["query": "zebra boat"])
            orders.append((answer["results"]?.elements ?? []).compactMap { $0["title"]?.string })
        }
        #expect(!orders[0].isEmpty && orders[0] == orders[1])
    }

    @Test func `a word is only replaced with a word that a visible entry contains`() async throws {
        let (open, empty) = (MCPHarness(), MCPHarness())
        for number in 0..<3 {
            try await open.store.add("the secret rendezvous, note number \(number)")
        }
        // A hidden entry contains a word as it is misspelled.
        try await open.store.add("the private breakfsat")
        for store in [open.store, empty.store] {
            try await store.add("a breakfast in the office", tags: ["work"])
        }
        func corrections(_ query: String, _ harness: MCPHarness) async -> [String] {
            let answer = await harness.call("search", ["query": .string(query)])
            return (answer["notices"]?.elements ?? []).compactMap(\.string)
                .filter { $0.contains("the search was") }
        }
        let secret = "no entry contains 'rendezvuos'; the search was for 'rendezvous'"
        #expect(await corrections("rendezvuos", open) == [secret])
        #expect(await corrections("breakfsat", open) == [])
        let limited = MCPHarness(Self.work, store: open.store)
        // The corrections are those in a store without the hidden entries.
        let other = MCPHarness(Self.work, store: empty.store)
        for query in ["rendezvuos", "rendezvous", "breakfsat", "ofice rendezvuos"] {
            #expect(await corrections(query, limited) == corrections(query, other), "\(query)")
        }
        #expect(await corrections("rendezvuos", limited) == [])
        #expect(
            await corrections("breakfsat", limited) == [
                "no entry contains 'breakfsat'; the search was for 'breakfast'"
            ])
    }

    @Test func `the beginning of an id does not tell whether an entry has it`() async throws {
        let open = MCPHarness()
        let hidden = try await open.store.add("a hidden note").id.text
        let visible = try await open.store.add("a visible note", tags: ["work"]).id.text
        let limited = MCPHarness(Self.work, store: open.store)
        for harness in [open, limited] {
            for (tool, name) in [("fetch", "id"), ("update", "id"), ("forget", "ids")] {
                for length in [1, 4, 8, 13, 35] {
                    var answers: [String] = []
                    for id in [hidden, visible, UUID().text] {
                        let prefix = String(id.prefix(length))
                        var arguments: [String: JSONValue] = [
                            name: name == "ids" ? [.string(prefix)] : .string(prefix)
                        ]
                        if tool == "update" { arguments["text"] = "x" }
                        let answer = await harness.call(tool, .object(arguments)).string ?? ""
                        answers.append(answer.replacing("'\(prefix)'", with: "ID"))
                    }
                    #expect(Set(answers).count == 1 && answers[0].contains("not a complete id"), "\(answers)")
                }
            }
        }
        // A complete id of a hidden entry gets the same answer as an unknown one.
        let unknown = UUID().text
        let answers = (
            await limited.call("fetch", ["id": .string(hidden)]).string?.replacing(hidden, with: "ID"),
            await limited.call("fetch", ["id": .string(unknown)]).string?.replacing(unknown, with: "ID")
        )
        #expect(answers.0 == answers.1 && answers.0 != nil)
    }

    @Test func `texts name only what the server offers`() async throws {
        for rules in [AccessRules(), Self.work, Self.conversation] {
            let harness = MCPHarness(rules)
            let tools = (await harness.request("tools/list"))["result"]?["tools"]?.elements ?? []
            let names = tools.compactMap { $0["name"]?.string }
            let discovery = await harness.request("server/discover")
            let texts = try #require(discovery["result"]?["instructions"]?.string)
            for name in ["search", "fetch", "clusters", "recluster"] where texts.contains("'\(name)'") {
                #expect(names.contains(name), "\(rules)")
            }
            let list = await harness.request("resources/templates/list")
            let templates = (list["result"]?["resourceTemplates"]?.elements ?? []).map { $0["name"] }
            #expect(templates.contains("cluster") == rules.showsEverything)
        }
    }

    @Test func `the status names the visible part`() async throws {
        let open = MCPHarness()
        try await open.store.add("a note")
        _ = await open.call(
            "remember_messages", ["messages": [["role": "user", "content": "hello"]], "user": "ann"])
        _ = await open.call(
            "remember_messages", ["messages": [["role": "user", "content": "hi there"]], "user": "ben"])
        let status = await open.call("status")
        #expect(status["entries"] == 3)
        #expect(status["messages"] == 2)
        #expect(status["timeZone"]?.string == TimeZone.current.identifier)
        let scoped = await MCPHarness(Self.conversation, store: open.store).call("status")
        #expect(scoped["entries"] == 1)
        #expect(scoped["messages"] == 1)
        #expect(scoped["conversation"] == ["user": "ann", "session": "default", "agent": "default"])
        let tagged = await MCPHarness(Self.work, store: open.store).call("status")
        #expect(tagged["messages"] == nil)
        #expect(tagged["tags"] == ["work"])
    }

    @Test func `a message can be changed where it is visible, but not moved`() async throws {
        let open = MCPHarness()
        _ = await open.call(
            "remember_messages", ["messages": [["role": "user", "content": "the blue kite"]], "user": "ann"])
        let recalled = await open.call("recall", ["query": "kite"])
        let id = try #require(recalled["messages"]?.elements?.first?["message"]?["id"])
        let scoped = MCPHarness(Self.conversation, store: open.store)
        for harness in [open, scoped] {
            #expect(await harness.call("fetch", ["id": id])["text"] == "the blue kite")
        }
        let moved = await open.call("update", ["id": id, "metadata": ["user": "ben"]])
        #expect(moved.string?.contains("is a message") == true)
        var other = Self.conversation
        other.scope = ChatScope(userId: "ben", sessionId: "default", agentId: "default")
        for rules in [other, Self.work] {
            let answer = await MCPHarness(rules, store: open.store).call("fetch", ["id": id])
            #expect(answer.string?.contains("no entry has the id") == true)
        }
        #expect(await open.call("update", ["id": id, "text": "the red kite"])["id"] == id)
        #expect(await open.call("forget", ["ids": [id], "confirm": true])["removed"] == 1)
    }
}
