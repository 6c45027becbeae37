import Roost
import RoostModel
import Testing

@testable import RoostServer

struct VisibleCountTests {
    @Test func `the visible entries are counted by their values`() async throws {
        let harness = MCPHarness()
        try await harness.store.add("a swift", tags: ["birds"], metadata: ["status": "open"])
        try await harness.store.add("a heron", tags: ["birds"])
        try await harness.store.add("green tea", tags: ["tea"])
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
