import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of the counts of visible entries.
struct VisibleCountTests {
    @Test func `the visible entries are counted by their values`() async throws {
        let harness = MCPHarness()
        try await harness.store.add("a swift", tags: ["birds"], metadata: ["status": "open"])
        try await harness.store.add("a heron", tags: ["birds"])
        try await harness.store.add("green tea", tags: ["tea"])
        let tags = await harness.call("count", ["by": ["tag"]])
        #expect(
            tags["counts"] == [["values": ["birds"], "count": 2], ["values": ["tea"], "count": 1]])
        #expect(await harness.call("count", ["by": ["tag", "tags"]])["counts"] == nil)
        let both = await harness.call("count", ["by": ["tag", "status"]])
        // Two entries have no status, so these are first.
        #expect(
            both["counts"]?.elements?.prefix(2) == [
                ["values": ["birds", nil], "count": 1], ["values": ["birds", "open"], "count": 1],
            ])
        #expect(await harness.call("count")["total"] == 3)
        let first = await harness.call("count", ["by": ["tag"], "limit": 1])
        #expect(first["counts"] == [["values": ["birds"], "count": 2]] && first["omitted"] == 1)
        for faulty: JSONValue in [
            ["by": [""]], ["by": ["metadata."]], ["by": ["a", "b", "c", "d"]], ["where": ["x"]], ["limit": 0],
        ] {
            #expect(await harness.call("count", faulty).string != nil, "\(faulty)")
        }
        // A server with a tag counts no hidden entries, and reveals no clusters.
        var rules = AccessRules()
        rules.tags = ["tea"]
        let limited = MCPHarness(rules, store: harness.store)
        #expect(
            await limited.call("count", ["by": ["tag"]])["counts"] == [["values": ["tea"], "count": 1]])
        #expect(await limited.call("count", ["by": ["cluster"]])["counts"] == nil)
    }
}
