import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Groups rows by their numbers into four clusters, two in each of two larger ones.
private struct PairedClusters: Clusterer {
    let algorithm = "pairs"

    func cluster(_ vectors: Matrix) async throws -> Partition {
        Partition(groups: (0..<vectors.rows).map { $0 % 4 }, of: vectors, parents: [4, 4, 5, 5, nil, nil])
    }
}

struct ResourceTests {
    private func clustered(_ harness: MCPHarness) async throws {
        for subject in ["tomato soil garden", "engine piston oil", "heron water reed", "bread oven flour"] {
            for number in 0..<8 { try await harness.store.add("\(subject) \(number)") }
        }
        let messages = (0..<5).map { number -> JSONValue in
            ["role": "user", "content": .string("violin concert string number \(number)")]
        }
        _ = await harness.call("remember_messages", ["messages": .array(messages)])
        _ = try await harness.store.recluster(with: PairedClusters())
    }

    @Test func `the resource of a cluster has the members that the tool lists`() async throws {
        let harness = MCPHarness()
        try await clustered(harness)
        let clusters = try #require(await harness.call("clusters")["clusters"]?.elements)
        #expect(clusters.contains { $0["parent"] != nil })
        for cluster in clusters {
            let id = try #require(cluster["id"]?.string)
            let response = await harness.request("resources/read", ["uri": .string("roost://cluster/\(id)")])
            let text = try #require(response["result"]?["contents"]?.elements?.first?["text"]?.string)
            let resource = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            let listed = await harness.call("cluster_members", ["cluster": .string(id), "limit": 200])
            let members = (listed["members"]?.elements ?? []).map { $0["id"] }
            #expect(!members.isEmpty)
            #expect((resource["entries"]?.elements ?? []).map { $0["id"] } == members)
            #expect(resource["size"] == cluster["size"])
        }
    }

    /// Adds one cluster per entry, so that the list has two pages.
    private func longList(_ harness: MCPHarness) async throws {
        var entries: [Entry.ID] = []
        for number in 0..<120 { entries.append(try await harness.store.add("note \(number)").id) }
        let clusters = entries.indices.map { Cluster(label: "cluster \($0)") }
        let assignments = zip(entries, clusters).map {
            Assignment(entry: $0, target: .cluster($1.id), similarity: 1)
        }
        let batch = WriteBatch(
            clustering: WriteBatch.Clustering(run: nil, clusters: clusters, assignments: assignments))
        _ = try await harness.store.storage.commit(batch)
    }

    @Test func `the pages of the list belong to one state of the store`() async throws {
        let harness = MCPHarness()
        try await longList(harness)
        func list(_ cursor: JSONValue?) async -> JSONValue {
            await harness.request("resources/list", cursor.map { ["cursor": $0] } ?? [:])
        }
        let first = await list(nil)
        let cursor = try #require(first["result"]?["nextCursor"])
        let second = await list(cursor)
        let uris = [first, second].flatMap { $0["result"]?["resources"]?.elements ?? [] }.map { $0["uri"] }
        #expect(uris.count == 120 && Set(uris).count == 120)
        #expect(second["result"]?["nextCursor"] == nil)
        for invalid in ["99999", "100", "", "x"] as [JSONValue] {
            #expect(await list(invalid)["error"]?["code"] == -32602, "\(invalid)")
        }
        // A cursor of a tool is refused.
        let tool = try #require(await harness.call("clusters", ["limit": 10])["nextCursor"])
        #expect(await list(tool)["error"]?["code"] == -32602)
        try await harness.store.add("one more")
        let outdated = await list(cursor)
        #expect(outdated["error"]?["code"] == -32602)
        #expect(outdated["error"]?["message"]?.string?.contains("has changed") == true)
    }
}
