import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost
@testable import RoostFiles

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
