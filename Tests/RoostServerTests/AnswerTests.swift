import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

@testable import RoostServer

/// Tests of the answers of tools: their notices and their sizes.
struct AnswerTests {
    @Test(
        arguments: [
            (["query": "swift -roof"], "excluded: roof"),
            (["query": "\"no such phrase\""], "no entry meets the conditions of the query"),
            (["query": "zzxqy"], "no entry"),
            (["query": "swift", "since": "2100"], "no entry matches the filter"),
            (["query": "swift", "tags": ["none"]], "no entry matches the filter"),
            (["query": "swift", "sources": ["/none"]], "no entry matches the filter"),
            (["query": "swift", "where": ["year>=2020"]], "no entry matches the filter"),
        ] as [(JSONValue, String)])
    func `a search without results has a reason`(arguments: JSONValue, expected: String) async throws {
        let harness = MCPHarness()
        try await harness.store.add("the swift above the roof")
        let answer = await harness.call("search", arguments)
        #expect(answer["results"] == [])
        let notices = (answer["notices"]?.elements ?? []).compactMap(\.string)
        #expect(notices.contains { $0.contains(expected) }, "\(answer)")
    }

    @Test func `a search with results has notices only if the query was changed`() async throws {
        let harness = MCPHarness()
        try await harness.store.add("the swift above the roof")
        #expect(await harness.call("search", ["query": "swift"])["notices"] == nil)
        let empty = await MCPHarness().call("search", ["query": "swift"])
        #expect(empty["notices"] == ["the store has no entries"])
        let filtered = await MCPHarness().call("search", ["query": "swift", "tags": ["none"]])
        #expect(filtered["notices"] == ["the store has no entries"])
    }

    @Test func `a search finds messages and notes where they are visible`() async throws {
        let harness = MCPHarness()
        _ = await harness.call(
            "remember_messages", ["messages": [["role": "user", "content": "the swift above the roof"]]])
        _ = await harness.call("remember", ["text": "a swift flies without a pause"])
        func titles(_ harness: MCPHarness, _ arguments: JSONValue = ["query": "swift"]) async -> Set<String> {
            let results = await harness.call("search", arguments)["results"]?.elements ?? []
            return Set(results.compactMap { $0["title"]?.string })
        }
        let both: Set = ["the swift above the roof", "a swift flies without a pause"]
        #expect(await titles(harness) == both)
        let message = await harness.call("search", ["query": "roof"])["results"]?.elements?.first
        #expect(message?["session"] == "default" && message?["speaker"] == "user")
        #expect(message?["createdAt"] != nil)
        #expect(await titles(harness, [:]) == both)
        var work = AccessRules()
        work.tags = ["work"]
        let hidden = await MCPHarness(work, store: harness.store).call("search")["notices"]
        #expect(hidden == ["the part of the store that this server shows has no entries"])
        // Tags select entries, and a scope selects messages.
        try await harness.store.add("the swift of the office", tags: ["work"])
        work.scope = ChatScope(userId: "default", sessionId: "default", agentId: "default")
        let limited = MCPHarness(work, store: harness.store)
        let visible: Set = ["the swift above the roof", "the swift of the office"]
        #expect(await titles(limited) == visible)
        #expect(await titles(limited, [:]) == visible)
        #expect(await titles(limited, ["query": "swift", "tags": ["work"]]) == ["the swift of the office"])
        #expect(await limited.call("count")["total"] == 2)
        #expect(await limited.call("status")["entries"] == 2)
    }

    @Test(
        arguments: [("clusters", [:]), ("search", ["query": "x", "cluster": "x"])] as [(String, JSONValue)])
    func `advice names an action, not a tool`(tool: String, arguments: JSONValue) async throws {
        let harness = MCPHarness()
        try await harness.store.add("a note")
        let answer = await harness.call(tool, arguments)
        let message = answer.string ?? answer["notices"]?.elements?.first?.string
        #expect(message == "the store has no clusters yet; recluster it first")
    }

    @Test func `large metadata are omitted by name`() async throws {
        let harness = MCPHarness()
        let large = JSONValue.string(String(repeating: "x", count: 100_000))
        let stored = await harness.call(
            "remember", ["text": "a note", "metadata": ["large": large, "small": 1]])
        let id = try #require(stored["id"])
        for budget in [200, 8_000] {
            let entry = await harness.call("fetch", ["id": id, "budget": .integer(Int64(budget))])
            #expect(entry.serialized().count <= budget * 3 + 200)
            #expect(entry["metadata"] == ["small": 1])
            #expect(entry["omittedMetadata"] == ["large"])
            #expect(entry["text"] == "a note")
        }
        let changed = await harness.call("update", ["id": id, "addTags": ["t"]])
        #expect(changed["omittedMetadata"] == ["large"])
        let uuid = try #require(UUID(uuidString: id.string ?? ""))
        let entry = try #require(try await harness.store.storage.snapshot().entries([uuid]).first)
        #expect(entry.metadata["large"] == large)
    }

    @Test func `many tags are cut, and counted`() async throws {
        let harness = MCPHarness()
        let tags = (0..<3_000).map { "tag number \($0)" }
        let added = try await harness.store.add("a note about swifts", tags: tags)
        let id = JSONValue.string(added.id.text)
        for budget in [200, 8_000] as [Int64] {
            let found = await harness.call("search", ["query": "swifts", "budget": .integer(budget)])
            let hit = try #require(found["results"]?.elements?.first)
            for item in [hit, await harness.call("fetch", ["id": id, "budget": .integer(budget)])] {
                #expect(item.serialized().count <= budget * 3 + 200)
                let kept = item["tags"]?.elements?.count ?? 0
                #expect(kept > 0 && item["omittedTags"] == .integer(Int64(3_000 - kept)))
            }
        }
        let changed = await harness.call("update", ["id": id, "metadata": ["year": 2026]])
        #expect(changed.serialized().count <= 8_000 * 3)
    }

    @Test func `the nearest entries and notices stay within the token budget`() async throws {
        let harness = MCPHarness()
        let path = String(repeating: "long/", count: 80)
        let drafts = ["swift", "roof", "heron", "water"].map { word in
            SourceDraft(
                id: "file:///\(path)\(word).md", fingerprint: "1",
                entries: [EntryDraft(content: "the \(word) in the morning")])
        }
        _ = try await harness.store.ingest(drafts)
        for budget in [200, 1_000] as [Int64] {
            let answer = await harness.call(
                "search", ["query": "quantum physics", "budget": .integer(budget)])
            #expect(answer["results"] == [])
            // The first entry is returned even if it exceeds the budget.
            #expect(answer["nearest"]?.elements?.count == (budget == 200 ? 1 : 2))
            #expect(answer.serialized().count <= max(1_300, Int(budget) * 3) + 200)
        }
        let words = (0..<5).map { " -" + String(repeating: "\($0)", count: 60) }.joined()
        let arguments: [String: JSONValue] = ["query": .string("morning" + words), "budget": 1_000]
        let answer = await harness.call("search", .object(arguments))
        #expect(answer["notices"]?.elements?.isEmpty == false)
        #expect(answer.serialized().count <= 1_000 * 3 + 400)
    }
}
