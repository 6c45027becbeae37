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
}
