import Foundation
import RoostModel
import RoostTestKit
import Testing

@testable import Roost

/// Tests of ``ClusterForest``.
@Suite struct ClusterForestTests {
    private static func cluster(_ parent: Cluster?, members: Int) -> Cluster {
        var cluster = Cluster(label: "c", members: (0..<members).map { _ in UUID() })
        cluster.parent = parent?.id
        return cluster
    }

    @Test func `a cluster has the members of all clusters below it`() {
        let root = Self.cluster(nil, members: 1)
        let child = Self.cluster(root, members: 2)
        let grandchild = Self.cluster(child, members: 4)
        let orphan = Self.cluster(Self.cluster(nil, members: 0), members: 8)
        let forest = ClusterForest([grandchild, child, root, orphan])
        #expect(forest.roots.map(\.id) == [root.id, orphan.id])
        #expect(forest.children(of: root).map(\.id) == [child.id])
        #expect(forest.size(of: root) == 7)
        #expect(Set(forest.members(of: root)).count == 7)
    }

    @Test func `clusters whose parents form a cycle are roots`() {
        var (first, second) = (Self.cluster(nil, members: 1), Self.cluster(nil, members: 2))
        (first.parent, second.parent) = (second.id, first.id)
        let below = Self.cluster(first, members: 4)
        var own = Self.cluster(nil, members: 8)
        own.parent = own.id
        let forest = ClusterForest([first, second, below, own])
        #expect(Set(forest.roots.map(\.id)) == [first.id, second.id, own.id])
        #expect(forest.size(of: first) == 5)
        #expect(forest.children(of: own).isEmpty)
    }

    @Test func `a long chain of parents is divided and walked in linear time`() {
        var chain = [Self.cluster(nil, members: 1)]
        for _ in 1..<100_000 { chain.append(Self.cluster(chain[chain.count - 1], members: 1)) }
        let clock = ContinuousClock()
        let time = clock.measure {
            let forest = ClusterForest(chain)
            #expect(forest.roots.first?.id == chain[0].id)
            #expect(forest.roots.count == (chain.count - 1) / ClusterForest.maximumLevels + 1)
            #expect(forest.roots.reduce(0) { $0 + forest.size(of: $1) } == chain.count)
            #expect(forest.members(of: chain[0]).count == ClusterForest.maximumLevels)
        }
        #expect(time < .seconds(20))
    }

    @Test func `an export nests a long chain of clusters only to the maximum number of levels`() async throws
    {
        var chain = [Cluster(label: "c")]
        for _ in 1..<20_000 { chain.append(Cluster(label: "c", parent: chain[chain.count - 1].id)) }
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(
            WriteBatch(clustering: .init(run: nil, clusters: chain.shuffled(), assignments: [])))
        let export = try await KnowledgeStore(storage: storage, embedder: LexicalEmbedder()).clusters.export()
        #expect(export.allClusters.count == chain.count)
        #expect(export.clusters.count == (chain.count - 1) / ClusterForest.maximumLevels + 1)
    }
}

/// Tests that members of clusters are read page by page.
struct ClusterMembersTests {
    private let storage = InMemoryStorageProvider()

    /// Stores a tree of clusters, and returns the cluster at the top.
    private func fill() async throws -> Cluster {
        let top = Cluster(label: "top")
        var (left, right, other) = (Cluster(label: "left"), Cluster(label: "right"), Cluster(label: "other"))
        var below = Cluster(label: "below")
        (left.parent, right.parent, below.parent) = (top.id, top.id, right.id)
        other.keywords = ["other"]
        let clusters = [top, left, right, below, other]
        let entries = (0..<50).map { Entry(content: "entry \($0)", embeddings: [1, 0]) }
        let assignments = entries.enumerated().map { number, entry in
            Assignment(
                entry: entry.id, target: .cluster(clusters[number % 5].id), run: nil, similarity: 1,
                confidence: 1)
        }
        _ = try await storage.commit(
            WriteBatch(
                upserts: entries,
                clustering: .init(run: nil, clusters: clusters, assignments: assignments)))
        return top
    }

    @Test(arguments: [1, 3, 10, 13, 40, 1_000])
    func `the pages contain all members in the order of the clusters`(limit: Int) async throws {
        let top = try await fill()
        let snapshot = try await storage.snapshot()
        let expected = ClusterForest(try await snapshot.clusters()).members(
            of: try #require(try await snapshot.clusters().first { $0.id == top.id }))
        #expect(expected.count == 40)
        let members = try await ClusterMembers(
            of: top, among: try await snapshot.clusterRecords(), in: snapshot)
        #expect(members.count == 40)
        var found: [Entry.ID] = []
        while true {
            let page = try await members.entries(from: found.count, limit: limit)
            #expect(page.count == min(limit, 40 - found.count))
            found += page.map(\.id)
            if page.isEmpty { break }
        }
        #expect(found == expected)
        #expect(try await members.ids() == expected)
        #expect(try await members.entries(from: 1_000, limit: limit).isEmpty)
    }
}

/// Tests of the HTML page with a map.
struct ClusterPageTests {
    @Test func `the page has the ids of all entries, in the order of their positions`() throws {
        let points = (0..<3).map { number in
            ClusterMap.Point(id: UUID(), text: "</script> \(number)", x: Float(number), y: 0, cluster: nil)
        }
        let page = String(
            decoding: try ClusterMap(points: points, clusters: [], total: 3).page(), as: UTF8.self)
        let parts = page.components(separatedBy: #"type="application/json">"#)
        let json = try #require(parts.last?.components(separatedBy: "</script>").first)
        let data = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(data?["ids"] as? [String] == points.map(\.id.text))
        #expect(page.contains(#"<button id="save""#) && page.contains("link.download = 'ids.txt'"))
    }
}
