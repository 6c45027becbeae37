import RoostModel

/// The clusters of a store, arranged by their parents.
package struct ClusterForest: Sendable {
    /// The clusters without a parent.
    package let roots: [Cluster]
    private let children: [Cluster.ID: [Cluster]]

    /// Arranges clusters. A cluster is a root if its parent is not among them, or if it belongs to a cycle of
    /// parents, which only a damaged or foreign store contains.
    ///
    /// - Complexity: O(number of clusters times the number of levels).
    package init(_ clusters: [Cluster]) {
        let parents = Dictionary(clusters.map { ($0.id, $0.parent) }) { first, _ in first }
        func isInCycle(_ id: Cluster.ID) -> Bool {
            var next = parents[id] ?? nil
            for _ in 0..<parents.count {
                guard let parent = next else { return false }
                if parent == id { return true }
                next = parents[parent] ?? nil
            }
            return false
        }
        var (roots, children): ([Cluster], [Cluster.ID: [Cluster]]) = ([], [:])
        for cluster in clusters {
            if let parent = cluster.parent, parents.keys.contains(parent), !isInCycle(cluster.id) {
                children[parent, default: []].append(cluster)
            } else {
                roots.append(cluster)
            }
        }
        (self.roots, self.children) = (roots, children)
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
