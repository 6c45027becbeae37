public import RoostModel

/// A part of a snapshot that could not be restored because its data is damaged.
public enum BackupLoss: Sendable, Hashable {
    /// Entries whose ids are known.
    case entries([Entry.ID])
    /// The given number of entries whose ids are also damaged.
    case unknownEntries(Int)
    /// Entries that were restored without their vectors: searches by meaning do not find them until they are
    /// embedded again.
    case vectors([Entry.ID])
    /// The cluster assignments of the given number of entries.
    case assignments(Int)
    /// Clusters that have members but whose description is damaged.
    case clusters([Cluster.ID])
    /// The given number of clusters whose ids are unknown.
    case unknownClusters(Int)
    /// The records of the given number of sources. The next ingest of these sources treats them as new.
    case sources(Int)
    /// The record of the last clustering run.
    case run
    /// A list of original files. The number of files in it is unknown.
    case originals
}
