/// Parts of a snapshot that could not be restored because their data is damaged.
public struct BackupLoss: Sendable, Hashable {
    /// The kind of data that is missing.
    public enum Part: String, Sendable, CaseIterable {
        /// Entries.
        case entries
        /// The vectors of entries: searches by meaning do not find these entries until they are embedded
        /// again.
        case vectors
        /// The assignments of entries to clusters.
        case assignments
        /// Clusters.
        case clusters
        /// The records of sources. The next ingest of these sources treats them as new.
        case sources
        /// The record of the last clustering run.
        case run
        /// Original files.
        case originals
        /// Lists of original files. The number of files in a list is unknown.
        case originalLists
    }

    /// The kind of data that is missing.
    public var part: Part
    /// The number of missing parts.
    public var count: Int
    /// The ids of entries and clusters and the digests of original files, as far as they are known.
    public var names: [String]

    init(_ part: Part, count: Int = 1) { (self.part, self.count, names) = (part, count, []) }

    init(_ part: Part, names: [String]) { (self.part, count, self.names) = (part, names.count, names) }
}
