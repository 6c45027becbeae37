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
