import Foundation
import Roost

/// The output for a cluster, without the texts of its members.
struct ClusterDocument: Encodable {
    var id: String
    var label: String
    var keywords: [String]
    var pinned: Bool
    /// `true` if a person gave the label and it probably no longer fits; otherwise `nil`.
    var labelOutdated: Bool?
    var labeledBy: String?
    var size: Int
    var cohesion: Float
    var separation: Float?
    var silhouette: Float?
    var stability: Float?
    var parent: String?
    var representatives: [String]

    /// Creates the output for a cluster.
    init(_ cluster: Cluster, size: Int? = nil, isLabelOutdated: Bool = false) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        pinned = cluster.isLabelPinned
        labelOutdated = isLabelOutdated ? true : nil
        labeledBy = cluster.labeledBy
        self.size = size ?? cluster.members.count
        cohesion = cluster.cohesion
        separation = cluster.separation
        silhouette = cluster.silhouette
        stability = cluster.stability
        parent = cluster.parent?.text
        representatives = cluster.representatives.map(\.text)
    }

    /// The columns of CSV and TSV.
    static let columns = [
        TableColumn(name: "id"), TableColumn(name: "label"), TableColumn(name: "size", isNumber: true),
        TableColumn(name: "cohesion", isNumber: true), TableColumn(name: "separation", isNumber: true),
        TableColumn(name: "parent"), TableColumn(name: "keywords"),
    ]

    /// The cluster as a row of CSV or TSV.
    var row: ListRow {
        ListRow(
            cells: [
                id, Terminal.line(label), "\(size)", Terminal.score(cohesion),
                separation.map(Terminal.score) ?? "", parent ?? "",
                keywords.map { Terminal.line($0) }.joined(separator: ";"),
            ], document: self)
    }

    var line: String {
        ClusterTable.figures.lines([.init(cluster: self, depth: 0)], hasHeader: false).joined()
    }
}

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

    var documents: [ClusterDocument] { all.map(\.document) }

    /// Returns a header and one line per cluster.
    func lines(_ table: ClusterTable) -> [String] {
        table.lines(all.map { .init(cluster: $0.document, depth: $0.depth) })
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

enum EndedClusterLines {
    static let maximumCount = 10
    /// Follows the name of an ended cluster that a person labeled.
    static let labelRemark = ", a label that you set"

    static func lines(_ ended: [Cluster]) -> [String] {
        var lines = ended.prefix(maximumCount).map { cluster in
            "ended    \(Terminal.line(cluster.label, limit: 60)) (\(cluster.members.count)) "
                + Terminal.dim(String(cluster.id.text.prefix(8)))
                + (cluster.isLabelPinned ? labelRemark : "")
        }
        if ended.count > lines.count {
            lines.append("and \(ended.count - lines.count) more earlier clusters ended")
        }
        return lines
    }
}
