import RoostModel

/// The ETag of an entry.
///
/// It has the revision of the entry, the epoch of the store, in which a revision is unique, and the cluster,
/// which can change without the entry.
struct EntryTag {
    /// The tag without its quotation marks and the cluster.
    private let version: String
    private let cluster: Cluster.ID?

    /// Creates a tag.
    ///
    /// - Parameter stamp: The state of the store from which the entry was read.
    init(_ revision: Revision, of cluster: Cluster.ID?, at stamp: Stamp) {
        version = "\(revision.rawValue).\(stamp.epoch.text.prefix(8))"
        self.cluster = cluster
    }

    /// The value of the field `ETag`.
    var text: String { "\"\(version)\(cluster.map { ".\($0.text.prefix(8))" } ?? "")\"" }

    /// Returns whether a tag that a client has read names the same revision, in whatever cluster the entry
    /// was.
    func hasRevision(of tag: some StringProtocol) -> Bool {
        tag == "\"\(version)\"" || tag.hasPrefix("\"\(version).")
    }
}
