public import RoostModel
import RoostVectors

/// The clusters of a store, arranged by their parents.
package struct ClusterForest: Sendable {
    package let roots: [Cluster]
    private let children: [Cluster.ID: [Cluster]]

    /// The maximum number of levels, far more than clustering runs create. It limits the depth of functions
    /// that walk through a forest recursively.
    package static let maximumLevels = 64

    /// Arranges clusters. A cluster is a root if its parent is not among them, if it belongs to a cycle of
    /// parents, or if it would be below the maximum number of levels. Only a damaged or foreign store
    /// contains such clusters.
    package init(_ clusters: [Cluster]) {
        let levels = Self.levels(of: clusters)
        var (roots, children): ([Cluster], [Cluster.ID: [Cluster]]) = ([], [:])
        for cluster in clusters {
            if let parent = cluster.parent, levels[cluster.id] != 0 {
                children[parent, default: []].append(cluster)
            } else {
                roots.append(cluster)
            }
        }
        (self.roots, self.children) = (roots, children)
    }

    /// Returns the number of clusters above each cluster, 0 for a root.
    private static func levels(of clusters: [Cluster]) -> [Cluster.ID: Int] {
        let parents = Dictionary(clusters.map { ($0.id, $0.parent) }) { first, _ in first }
        var levels: [Cluster.ID: Int] = [:]
        for cluster in clusters {
            // The clusters from this one upward, to one whose level is known.
            var path: [Cluster.ID] = []
            var indices: [Cluster.ID: Int] = [:]
            var next: Cluster.ID? = cluster.id
            while let id = next, parents.keys.contains(id), levels[id] == nil, indices[id] == nil {
                indices[id] = path.count
                path.append(id)
                next = parents[id] ?? nil
            }
            if let start = next.flatMap({ indices[$0] }) {
                for id in path[start...] { levels[id] = 0 }
                path.removeSubrange(start...)
            }
            for id in path.reversed() {
                let above = (parents[id] ?? nil).flatMap { levels[$0] }
                let level = above.map { $0 + 1 } ?? 0
                levels[id] = level < maximumLevels ? level : 0
            }
        }
        return levels
    }

    /// Returns clusters without the parents that would make a cycle or too many levels.
    static func withoutCycles(_ clusters: [Cluster]) -> [Cluster] {
        let levels = levels(of: clusters)
        return clusters.map { cluster in
            var cluster = cluster
            if levels[cluster.id] == 0 { cluster.parent = nil }
            return cluster
        }
    }

    package func children(of cluster: Cluster) -> [Cluster] { children[cluster.id] ?? [] }

    /// Returns the members of a cluster and of all clusters below it.
    package func members(of cluster: Cluster) -> [Entry.ID] {
        cluster.members + children(of: cluster).flatMap(members)
    }

    package func ids(from cluster: Cluster) -> [Cluster.ID] {
        [cluster.id] + children(of: cluster).flatMap(ids)
    }

    /// Returns the number of members of a cluster and of all clusters below it.
    package func size(of cluster: Cluster) -> Int {
        cluster.members.count + children(of: cluster).reduce(0) { $0 + size(of: $1) }
    }
}

extension EntryFilter {
    /// Returns a filter that matches the members of all descendants of `cluster` if `cluster` is a parent
    /// cluster, which has no members of its own. Otherwise, returns the filter unchanged.
    ///
    /// Searches and `KnowledgeStore/duplicates(threshold:matching:)` expand their filters themselves. Storage
    /// providers do not: they match only entries that are assigned to `cluster` itself.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(clusters), and O(assignments) for a parent cluster.
    public func expandingParentCluster(in snapshot: any StorageSnapshot) async throws -> EntryFilter {
        guard let cluster else { return self }
        let clusters = try await snapshot.clusterRecords()
        guard clusters.contains(where: { $0.parent == cluster }),
            let parent = clusters.first(where: { $0.id == cluster })
        else { return self }
        let found = Set(ClusterForest(clusters).ids(from: parent))
        let members = try await snapshot.assignments(of: nil).filter { assignment in
            assignment.cluster.map(found.contains) == true
        }
        var filter = self
        filter.cluster = nil
        let ids = Set(members.map(\.entry))
        filter.ids = filter.ids.map(ids.intersection) ?? ids
        return filter
    }
}
