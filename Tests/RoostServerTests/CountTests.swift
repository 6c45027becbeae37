import NIOHTTP1
import Roost
import Testing

@testable import RoostServer

struct CountTests {
    @Test func `entries are counted by the values of properties`() async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("a swift", tags: ["birds"], metadata: ["status": "open"])
            try await harness.store.add("a heron", tags: ["birds"])
            try await harness.store.add("green tea", tags: ["tea"])
            let path = "/api/v1/counts"
            #expect(try await harness.send(.GET, path).json == ["total": 3, "counts": []])
            let tags = try await harness.send(.GET, path + "?by=tag")
            #expect(
                tags.json["counts"] == [
                    ["values": ["birds"], "count": 2], ["values": ["tea"], "count": 1],
                ])
            let first = try await harness.send(.GET, path + "?by=tag&limit=1").json
            #expect(first["counts"] == [["values": ["birds"], "count": 2]] && first["omitted"] == 1)
            #expect(tags.json["omitted"] == nil)
            let both = try await harness.send(.GET, path + "?by=tag&by=status&tags=birds")
            #expect(both.json["total"] == 2)
            #expect(
                both.json["counts"] == [
                    ["values": ["birds", "open"], "count": 1], ["values": ["birds", nil], "count": 1],
                ])
            let faulty = [
                "?by=", "?by=metadata.", "?by=a&by=b&by=c&by=d", "?by=tag&by=tags", "?where=x", "?limit=0",
            ]
            for query in faulty {
                #expect(try await harness.send(.GET, path + query).status == 400, "\(query)")
            }
        }
    }
}
