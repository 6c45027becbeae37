import RoostModel

/// The clusters of a store, arranged by their parents.
package struct ClusterForest: Sendable {
    /// The clusters without a parent.
    package let roots: [Cluster]
    private let children: [Cluster.ID: [Cluster]]

    /// The maximum number of levels, far more than clustering runs create. It limits the depth of functions
    /// that walk through a forest recursively.
    package static let maximumLevels = 64

    /// Arranges clusters. A cluster is a root if its parent is not among them, if it belongs to a cycle of
    /// parents, or if it would be below the maximum number of levels. Only a damaged or foreign store
    /// contains such clusters.
    ///
    /// - Complexity: O(number of clusters).
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

    /// Returns the clusters directly below a cluster.
    package func children(of cluster: Cluster) -> [Cluster] { children[cluster.id] ?? [] }

    /// Returns the members of a cluster and of all clusters below it.
    package func members(of cluster: Cluster) -> [Entry.ID] {
        cluster.members + children(of: cluster).flatMap(members)
    }

    /// Returns the number of members of a cluster and of all clusters below it.
    package func size(of cluster: Cluster) -> Int {
        cluster.members.count + children(of: cluster).reduce(0) { $0 + size(of: $1) }
    }
}
