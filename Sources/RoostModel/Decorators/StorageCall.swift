/// A kind of call to a storage provider or to one of its snapshots.
public enum StorageCall: String, Sendable, Hashable, Codable, CaseIterable {
    /// The calls to a provider. Each case has the name of the method.
    case commit, snapshot, changes, renewEpoch, compact, close
    /// The calls to a provider's simple verbs. Each case has the name of the method.
    case saveEntry, saveEntries, fetchEntries, updateCluster, fetchClusters, deleteEntry
    /// The calls to a snapshot that read entries. `readPage` reads a page of entries or of headers.
    case readEntries, readPage, readRows, readVectors, readRevisions, readEmbeddedEntries
    /// The calls to a snapshot that read sources, clusters, assignments and runs.
    case readSources, readClusters, readAssignments, readClusteringRun, readClustersRevision

    /// Whether the call can change the store.
    public var isWriting: Bool {
        switch self {
        case .commit, .renewEpoch, .compact, .saveEntry, .saveEntries, .updateCluster, .deleteEntry: true
        default: false
        }
    }

    /// Whether the call is made to a snapshot, not to a provider.
    public var isOfSnapshot: Bool { rawValue.hasPrefix("read") }
}
