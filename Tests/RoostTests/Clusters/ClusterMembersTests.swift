import Foundation
import RoostModel
import RoostTestKit
import Testing

@testable import Roost

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
