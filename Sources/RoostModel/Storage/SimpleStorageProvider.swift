public import Foundation

/// A storage provider for small custom backends, which requires only four methods.
///
/// Implement ``StorageProvider/saveEntry(_:)`` (insert an entry, or replace the entry with the same id),
/// ``StorageProvider/fetchEntries()``, ``StorageProvider/updateCluster(_:)`` and
/// ``StorageProvider/fetchClusters()``. If the backend can remove entries, also implement
/// ``StorageProvider/deleteEntry(_:)``. All other requirements have default implementations.
///
/// Four methods are not enough for every guarantee of ``StorageProvider``. The default implementations have
/// these limitations:
/// - A batch is saved entry by entry. After a failure, the entries that were already saved remain.
/// - The revision is the latest `updatedAt` of all entries and clusters, in milliseconds.
/// - The change feed always requires a reset, so its readers read everything again. Its only page has all
///   entries, whatever the limit.
/// - Source records, run records and similarities are not stored.
/// - Each call reads all entries.
///
/// A backend that needs to give all guarantees must implement ``StorageProvider`` instead.
public protocol SimpleStorageProvider: StorageProvider {}

extension SimpleStorageProvider {
    // Without these declarations, a type that lacks one of the four methods would use the default
    // implementation of `StorageProvider`. That implementation calls `commit`, which calls the missing method
    // again: infinite recursion.

    /// Unavailable: a `SimpleStorageProvider` must implement this method itself.
    @available(*, unavailable, message: "a SimpleStorageProvider must implement saveEntry(_:)")
    public func saveEntry(_ entry: Entry) async throws {}

    /// Unavailable: a `SimpleStorageProvider` must implement this method itself.
    @available(*, unavailable, message: "a SimpleStorageProvider must implement fetchEntries()")
    public func fetchEntries() async throws -> [Entry] { [] }

    /// Unavailable: a `SimpleStorageProvider` must implement this method itself.
    @available(*, unavailable, message: "a SimpleStorageProvider must implement updateCluster(_:)")
    public func updateCluster(_ cluster: Cluster) async throws {}

    /// Unavailable: a `SimpleStorageProvider` must implement this method itself.
    @available(*, unavailable, message: "a SimpleStorageProvider must implement fetchClusters()")
    public func fetchClusters() async throws -> [Cluster] { [] }

    public func saveEntries(_ entries: [Entry]) async throws {
        for entry in entries {
            try Task.checkCancellation()
            try await saveEntry(entry)
        }
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        throw StorageError(
            .unsupported,
            "cannot remove entries from this store: its provider does not implement deleteEntry(_:)")
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        var state = try await currentState()
        let before = state
        try state.apply(batch)
        for id in batch.removals {
            if try before.entry(id) != nil { try await deleteEntry(id) }
        }
        for entry in batch.upserts {
            if try before.entry(entry.id) != entry { try await saveEntry(entry) }
        }
        let oldClusters = Dictionary(uniqueKeysWithValues: before.clustersWithMembers().map { ($0.id, $0) })
        var vanished = Set(oldClusters.keys)
        for cluster in state.clustersWithMembers() {
            vanished.remove(cluster.id)
            if oldClusters[cluster.id] != cluster { try await updateCluster(cluster) }
        }
        // The four methods cannot remove a cluster. Clusters that the batch removes are therefore saved
        // without members.
        for id in vanished {
            guard var emptied = oldClusters[id], !emptied.members.isEmpty else { continue }
            emptied.members = []
            emptied.representatives = []
            try await updateCluster(emptied)
        }
        return try await currentState().stamp.revision
    }

    public func snapshot() async throws -> any StorageSnapshot {
        InMemorySnapshot(state: try await currentState())
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        guard cursor == .start else { return .resetRequired }
        // A reader cannot continue from a cursor, so the first page contains everything, even beyond `limit`.
        return try await currentState().changes(after: cursor, limit: .max)
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        throw StorageError(
            .unsupported, "cannot renew the epoch of this store: its provider does not store one")
    }

    public func close() async throws {}

    private func currentState() async throws -> StoreState {
        let entries = try await fetchEntries()
        let clusters = try await fetchClusters()
        return try StoreState(entries: entries, clusters: clusters.filter { !$0.members.isEmpty })
    }
}
