package import Roost
package import RoostModel

/// The JSON form of a cluster, without its members.
package struct ClusterDocument: Codable, Sendable {
    /// The id, which later runs keep if most members stay.
    package var id: String
    package var label: String
    package var keywords: [String]
    /// Whether a person gave the label.
    package var pinned: Bool
    /// `true` if a person gave the label and it probably no longer fits; otherwise `nil`.
    package var labelOutdated: Bool?
    /// The language model that gave the label.
    package var labeledBy: String?
    /// The number of members, including those of the clusters below.
    package var size: Int
    /// The mean cosine similarity of the members to the centroid.
    package var cohesion: Float?
    /// The cosine distance to the nearest other centroid.
    package var separation: Float?
    package var silhouette: Float?
    /// The share of samples in which the cluster is found again.
    package var stability: Float?
    /// The cosine similarity of the centroid to a query.
    package var similarity: Float?
    /// The id of the cluster that contains this one.
    package var parent: String?
    /// The ids of typical members.
    package var representatives: [String]

    /// Creates the form of a cluster.
    ///
    /// - Parameters:
    ///   - size: The number of members; for a cluster with children, the sum of their sizes.
    ///   - isLabelOutdated: Whether the label probably no longer fits.
    package init(_ cluster: Cluster, size: Int? = nil, isLabelOutdated: Bool = false) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        pinned = cluster.isLabelPinned
        labelOutdated = isLabelOutdated ? true : nil
        labeledBy = cluster.labeledBy
        self.size = size ?? cluster.members.count
        cohesion = cluster.cohesion.rounded4
        separation = cluster.separation?.rounded4
        silhouette = cluster.silhouette?.rounded4
        stability = cluster.stability?.rounded4
        parent = cluster.parent?.text
        representatives = cluster.representatives.map(\.text)
    }
}

package struct ClusterHierarchy: Sendable {
    package struct Node: Sendable {
        package var document: ClusterDocument
        /// The level in the hierarchy, 0 at the top.
        package var depth: Int
        package var isLeaf: Bool
    }

    private let forest: ClusterForest
    private let outdated: Set<Cluster.ID>

    /// Arranges clusters with their members.
    package init(_ clusters: [Cluster]) {
        forest = ClusterForest(clusters)
        outdated = clusters.clustersWithOutdatedLabels()
    }

    package func document(_ cluster: Cluster) -> ClusterDocument {
        ClusterDocument(
            cluster, size: forest.size(of: cluster), isLabelOutdated: outdated.contains(cluster.id))
    }

    package func document(_ match: ClusterMatch) -> ClusterDocument {
        var document = document(match.cluster)
        document.similarity = match.similarity.rounded4
        return document
    }

    /// All clusters, largest first, each followed by its children.
    package var nodes: [Node] {
        func walk(_ clusters: [Cluster], _ depth: Int) -> [Node] {
            clusters.map { ($0, forest.size(of: $0)) }
                .sorted { ($1.1, $0.0.label, $0.0.id) < ($0.1, $1.0.label, $1.0.id) }
                .flatMap { cluster, _ in
                    let below = forest.children(of: cluster)
                    return [Node(document: document(cluster), depth: depth, isLeaf: below.isEmpty)]
                        + walk(below, depth + 1)
                }
        }
        return walk(forest.roots, 0)
    }
}
