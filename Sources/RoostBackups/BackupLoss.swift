public import RoostModel

/// A part of a snapshot that could not be restored because its data is damaged.
public enum BackupLoss: Sendable, Hashable {
    /// Entries whose ids are known.
    case entries([Entry.ID])
    /// A number of entries whose ids are damaged, too.
    case unknownEntries(Int)
    /// Entries that were restored without their vectors: searches by meaning do not find them until they are
    /// embedded again.
    case vectors([Entry.ID])
    /// The assignments to clusters of the given number of entries.
    case assignments(Int)
    /// Clusters that entries are assigned to, and whose description is damaged.
    case clusters([Cluster.ID])
    /// A number of clusters without known ids.
    case unknownClusters(Int)
    /// Records of sources. The next ingest of these sources treats them as new.
    case sources(Int)
    /// The record of the last clustering run.
    case run
    /// A list of original files. The number of files in it is unknown.
    case originals
}
