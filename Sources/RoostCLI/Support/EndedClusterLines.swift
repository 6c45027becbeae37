import Roost

/// The lines that list the clusters that a run ended, such as `ended    Night sky (12) 94254dc3`.
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
