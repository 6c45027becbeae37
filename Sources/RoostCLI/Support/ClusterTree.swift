import Foundation
import Roost

/// A hierarchy of clusters.
struct ClusterTree {
    private let forest: ClusterForest
    private let outdated: Set<Cluster.ID>

    init(_ clusters: [Cluster]) {
        forest = ClusterForest(clusters)
        outdated = clusters.clustersWithOutdatedLabels()
    }

    private struct Node {
        var document: ClusterDocument
        var depth: Int
        var isLeaf: Bool
    }

    /// All clusters, largest first, each followed by its children.
    private var all: [Node] {
        func walk(_ clusters: [Cluster], _ depth: Int) -> [Node] {
            clusters.map { ($0, forest.size(of: $0)) }
                .sorted { ($1.1, $0.0.label, $0.0.id) < ($0.1, $1.0.label, $1.0.id) }
                .flatMap { cluster, size in
                    let below = forest.children(of: cluster)
                    let document = ClusterDocument(
                        cluster, size: size, isLabelOutdated: outdated.contains(cluster.id))
                    return [Node(document: document, depth: depth, isLeaf: below.isEmpty)]
                        + walk(below, depth + 1)
                }
        }
        return walk(forest.roots, 0)
    }

    /// The clusters without children in a flat list, largest first.
    private var leaves: [Node] {
        all.filter(\.isLeaf).map { Node(document: $0.document, depth: 0, isLeaf: true) }
            .sorted {
                ($1.document.size, $0.document.label, $0.document.id)
                    < ($0.document.size, $1.document.label, $1.document.id)
            }
    }

    /// Returns the documents of all clusters, or only of those without children.
    func documents(flat: Bool = false) -> [ClusterDocument] { (flat ? leaves : all).map(\.document) }

    /// Returns a header and one line per cluster, for all clusters or only for those without children.
    func lines(_ table: ClusterTable, flat: Bool = false) -> [String] {
        let nodes = flat ? leaves : all
        return table.lines(nodes.map { .init(cluster: $0.document, depth: $0.depth) })
    }

    var leafCount: Int { all.count { $0.isLeaf } }

    /// A sentence about labels that probably no longer fit; `nil` if there are none.
    var outdatedLabelRemark: String? {
        let labels = all.filter { $0.document.labelOutdated == true }.map(\.document.label)
        guard !labels.isEmpty else { return nil }
        let names = labels.prefix(Terminal.maximumListedItems).map { "'\(Terminal.line($0, limit: 60))'" }
        return (labels.count == 1 ? "the label " : "the labels ") + names.joined(separator: ", ")
            + (labels.count > names.count ? " and \(labels.count - names.count) more" : "")
            + " may no longer fit: fewer than half of the members at the time of labeling remain, or the "
            + "cluster has more than doubled; `roost cluster label` sets a label or confirms it"
    }
}
