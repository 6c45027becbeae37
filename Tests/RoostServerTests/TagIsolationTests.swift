import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of servers that show only entries with a tag.
struct TagIsolationTests {
    private func rules(_ tag: String) -> AccessRules {
        var rules = AccessRules()
        rules.tags = [tag]
        return rules
    }

    @Test func `a server with a tag also shows the tags nested in it, and adds the tag itself`() async throws
    {
        let open = MCPHarness()
        try await open.store.add("the plan of the fence", tags: ["Work/Plans"])
        try await open.store.add("the fence of the workshop", tags: ["workshop"])
        let harness = MCPHarness(rules("work"), store: open.store)
        let found = await harness.call("search", ["query": "fence"])
        #expect(found["results"]?.elements?.count == 1)
        let stored = await harness.call("remember", ["text": "a gate", "tags": ["work/Gates", "WORK"]])
        let id = try #require(stored["id"])
        let entry = await harness.call("fetch", ["id": id])
        #expect(entry["tags"] == ["work", "work/Gates"])
    }

    @Test func `no change of tags hides an entry`() async throws {
        let open = MCPHarness()
        let added = try await open.store.add("the plan", tags: ["Work/Plans", "draft"])
        let id = JSONValue.string(added.id.text)
        let harness = MCPHarness(rules("work"), store: open.store)
        for tag in ["work/plans", "WORK/PLANS"] {
            let refused = await harness.call("update", ["id": id, "removeTags": [.string(tag)]])
            #expect(refused.string?.contains("cannot be removed") == true)
        }
        // The entry stays visible by another tag.
        let moved = await harness.call(
            "update", ["id": id, "removeTags": ["work/plans"], "addTags": ["work/done"]])
        #expect(moved["tags"] == ["draft", "work/done"])
        let other = await harness.call("update", ["id": id, "removeTags": ["DRAFT"]])
        #expect(other["tags"] == ["work/done"])
    }

    @Test func `servers with the same tag in another case share the source of added texts`() {
        #expect(rules("Work").ownSource == rules("work").ownSource)
        #expect(rules("work").ownSource != rules("work/x").ownSource)
    }

    @Test func `entries are selected by their dates`() async throws {
        let harness = MCPHarness()
        let draft = EntryDraft(
            content: "a swift", createdAt: Date(timeIntervalSince1970: 1_748_736_000),
            updatedAt: Date(timeIntervalSince1970: 1_751_328_000))
        try await harness.store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: [draft])])
        func count(_ arguments: JSONValue) async -> Int? {
            var members = arguments.members ?? [:]
            members["query"] = "swift"
            return await harness.call("search", .object(members))["results"]?.elements?.count
        }
        #expect(await count(["since": "2025-06-01", "until": "2025-06-01"]) == 1)
        #expect(await count(["since": "2025-06-02", "until": "2025-06-30"]) == 0)
        #expect(await count(["where": ["created=2025-06-01", "updated>=2025-07"]]) == 1)
        #expect(await count(["where": ["created>2025-06-01"]]) == 0)
        #expect(await count(["since": "100y", "until": "last-week"]) == 1)
        #expect(await count(["since": "7d"]) == 0)
        #expect(await count(["where": ["updated<7d"]]) == 1)
    }
}
