import Roost
import RoostTestKit
import TestSupport
import Testing

/// Tests of edits of clusters inside larger ones.
@Suite struct LargerClusterTests {
    @Test func `a larger cluster with a single cluster ends, unless a person labeled it`() async throws {
        let store = try await ClusterTests().store()
        let made = try await store.recluster(with: PairedClusters(count: 12)).clusters
        let parents = made.filter { cluster in made.contains { $0.parent == cluster.id } }
        try #require(parents.count >= 2)
        func children(of parent: Cluster) -> [Cluster] { made.filter { $0.parent == parent.id } }

        let merged = try await store.mergeClusters(children(of: parents[0]).map(\.id))
        #expect(merged.parent == nil)
        #expect(Set(merged.members) == Set(children(of: parents[0]).flatMap(\.members)))
        var clusters = try await store.storage.fetchClusters()
        #expect(!clusters.contains { $0.id == parents[0].id })

        try await store.labelCluster(parents[1].id, as: "Mine")
        let removed = children(of: parents[1]).dropFirst()
        try #require(!removed.isEmpty)
        for cluster in removed { try await store.deleteCluster(cluster.id) }
        clusters = try await store.storage.fetchClusters()
        #expect(clusters.first { $0.id == parents[1].id }?.label == "Mine")
        #expect(clusters.filter { $0.parent == parents[1].id }.count == 1)
        // Without the label, the next edit ends it.
        try await store.labelCluster(parents[1].id, as: nil)
        _ = try await store.splitCluster(merged.id)
        clusters = try await store.storage.fetchClusters()
        #expect(!clusters.contains { $0.id == parents[1].id })
    }
}
