import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

struct SearchTests {
    @Test func `a search has at most one subject`() async throws {
        try await HTTPHarness.run { harness in
            let bodies: [JSONValue] = [
                ["query": "a", "document": "b"],
                ["query": "a", "where": ["nonsense"]],
                ["query": "a", "where": ["created>=soon"]], ["query": "a", "limit": 0],
                ["query": "a", "where": ["status==done"]],
                ["query": "a", "since": "soon"], ["entries": ["none"]],
            ]
            for body in bodies {
                let answer = try await harness.send(.POST, "/api/v1/search", body)
                #expect(answer.status == 400, "\(body)")
            }
        }
    }

    @Test func `a vector and a cluster are checked before the search`() async throws {
        try await HTTPHarness.run { harness in
            let heron = try await harness.store.add("a heron stood in the pond")
            func status(_ body: JSONValue) async throws -> Int {
                try await harness.send(.POST, "/api/v1/search", body).status
            }
            let entry = try #require(await harness.store.storage.snapshot().entries([heron.id]).first)
            var numbers = entry.embeddings.map { JSONValue.number(Double($0)) }
            #expect(try await status(["vector": .array(numbers)]) == 200)
            for wrong: JSONValue in ["1", nil, true, [1], [:]] {
                numbers[numbers.count - 1] = wrong
                #expect(try await status(["vector": .array(numbers)]) == 400, "\(wrong)")
            }
            #expect(try await status(["vector": []]) == 400)
            let cluster = JSONValue.string(UUID().uuidString)
            #expect(try await status(["query": "heron", "cluster": cluster]) == 400)
            #expect(try await status(["query": "heron", "cluster": "first"]) == 400)
            let unclustered = try await harness.send(
                .POST, "/api/v1/search", ["query": "heron", "cluster": "none"])
            #expect(unclustered.json["results"]?.elements?.count == 1)
            let list = try await harness.send(.GET, "/api/v1/entries?cluster=None")
            #expect(list.json["entries"]?.elements?.count == 1)
        }
    }

    @Test func `sources are listed in pages`() async throws {
        try await HTTPHarness.run { harness in
            let ids = ["b", "a\u{E9}?>", String(repeating: "/", count: 20_000), "z"]
            try await harness.store.ingest(
                ids.map {
                    SourceDraft(
                        id: $0, fingerprint: "1", entries: [EntryDraft(content: "text of \($0.prefix(9))")])
                })
            var (found, cursor) = ([String](), "")
            repeat {
                let page = try await harness.send(.GET, "/api/v1/sources?limit=1" + cursor)
                #expect(page.status == 200 && page.json["count"] == 4, "\(page.text.prefix(500))")
                found += (page.json["sources"]?.elements ?? []).compactMap { $0["id"]?.string }
                cursor = page.json["nextCursor"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty && found.count < 10
            #expect(found == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }
}
