import Foundation
import Roost
import RoostServer

extension ClusterDocument {
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
                id, Terminal.line(label), "\(size)", cohesion.map(Terminal.score) ?? "",
                separation.map(Terminal.score) ?? "", parent ?? "",
                keywords.map { Terminal.line($0) }.joined(separator: ";"),
            ], document: self)
    }

    var line: String {
        ClusterTable.figures.lines([.init(cluster: self, depth: 0)], hasHeader: false).joined()
    }
}

struct ClusterTree {
    private typealias Node = ClusterHierarchy.Node

    /// All clusters, largest first, each followed by its children.
    private let all: [ClusterHierarchy.Node]

    init(_ clusters: [Cluster]) { all = ClusterHierarchy(clusters).nodes }

    /// The clusters without children in a flat list, largest first.
    private var leaves: [Node] {
        all.filter(\.isLeaf).map { leaf in
            var leaf = leaf
            leaf.depth = 0
            return leaf
        }
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

struct EndedClusterLines {
    /// The maximum number of clusters that are listed.
    static let maximumCount = 10
    /// Follows the name of an ended cluster that a person labeled.
    static let labelRemark = ", a label that you set"

    let lines: [String]

    /// - Parameter ended: The clusters, the most important ones first.
    init(_ ended: [Cluster]) {
        var lines = ended.prefix(Self.maximumCount).map { cluster in
            "ended    \(Terminal.line(cluster.label, limit: 60)) (\(cluster.members.count)) "
                + Terminal.dim(String(cluster.id.text.prefix(8)))
                + (cluster.isLabelPinned ? Self.labelRemark : "")
        }
        if ended.count > lines.count {
            lines.append("and \(ended.count - lines.count) more earlier clusters ended")
        }
        self.lines = lines
    }
}
