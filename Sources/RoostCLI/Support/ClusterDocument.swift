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
    ///
    /// - Parameters:
    ///   - size: The number of members; for a cluster with children, the sum of their sizes.
    ///   - isLabelOutdated: Whether the label probably no longer fits.
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
