import Foundation
import Roost

/// The output for a cluster, without the texts of its members.
struct ClusterDocument: Encodable {
    var id: String
    var label: String
    var keywords: [String]
    var pinned: Bool
    var labeledBy: String?
    var size: Int
    var cohesion: Float
    var separation: Float?
    var silhouette: Float?
    var stability: Float?
    var parent: String?
    var representatives: [String]

    /// - Parameter size: The number of members; for a cluster with children, the sum of their sizes.
    init(_ cluster: Cluster, size: Int? = nil) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        pinned = cluster.isLabelPinned
        labeledBy = cluster.labeledBy
        self.size = size ?? cluster.members.count
        cohesion = cluster.cohesion
        separation = cluster.separation
        silhouette = cluster.silhouette
        stability = cluster.stability
        parent = cluster.parent?.text
        representatives = cluster.representatives.map(\.text)
    }

    func line(depth: Int) -> String {
        let count = String(size)
        let padding = String(repeating: " ", count: max(0, 6 - count.count))
        let indentation = String(repeating: "  ", count: depth)
        return
            "\(padding)\(count)  \(Terminal.score(cohesion))  \(indentation)"
            + "\(Terminal.bold(Terminal.line(label)))  " + Terminal.dim(String(id.prefix(8)))
    }
}

/// Clusters in their hierarchy.
struct ClusterTree {
    private let roots: [Cluster]
    private let children: [Cluster.ID: [Cluster]]

    init(_ clusters: [Cluster]) {
        let ids = Set(clusters.map(\.id))
        var (roots, children): ([Cluster], [Cluster.ID: [Cluster]]) = ([], [:])
        for cluster in clusters {
            if let parent = cluster.parent, ids.contains(parent), parent != cluster.id {
                children[parent, default: []].append(cluster)
            } else {
                roots.append(cluster)
            }
        }
        (self.roots, self.children) = (roots, children)
    }

    private func size(_ cluster: Cluster) -> Int {
        cluster.members.count + (children[cluster.id] ?? []).reduce(0) { $0 + size($1) }
    }

    /// All clusters, largest first, each followed by its children.
    private var all: [(document: ClusterDocument, depth: Int, isLeaf: Bool)] {
        func walk(_ clusters: [Cluster], _ depth: Int) -> [(ClusterDocument, Int, Bool)] {
            clusters.map { ($0, size($0)) }
                .sorted { ($1.1, $0.0.label, $0.0.id.uuidString) < ($0.1, $1.0.label, $1.0.id.uuidString) }
                .flatMap { cluster, size in
                    let below = children[cluster.id] ?? []
                    return [(ClusterDocument(cluster, size: size), depth, below.isEmpty)]
                        + walk(below, depth + 1)
                }
        }
        return walk(roots, 0)
    }

    var documents: [ClusterDocument] { all.map(\.document) }

    var lines: [String] { all.map { $0.document.line(depth: $0.depth) } }

    var leafCount: Int { all.count { $0.isLeaf } }
}
