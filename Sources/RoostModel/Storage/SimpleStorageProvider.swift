public import Foundation

/// A storage provider that needs four methods, for small custom backends.
///
/// Implement ``StorageProvider/saveEntry(_:)`` (insert an entry, or replace the entry with the same id),
/// ``StorageProvider/fetchEntries()``, ``StorageProvider/updateCluster(_:)`` and
/// ``StorageProvider/fetchClusters()``. If the backend can remove entries, also implement
/// ``StorageProvider/deleteEntry(_:)``. All other requirements have default implementations.
///
/// Four methods cannot give every guarantee of ``StorageProvider``. The defaults have these limits:
/// - A batch is saved entry by entry. A failure in the middle leaves the entries that were saved before it.
/// - A revision is the latest `updatedAt` of all entries and clusters in milliseconds.
/// - The change feed always requires a reset, so readers that follow it read everything again.
/// - Source records, run records and similarities are not stored.
/// - Each call reads all entries.
///
/// A backend that needs more implements ``StorageProvider``.
public protocol SimpleStorageProvider: StorageProvider {}

extension SimpleStorageProvider {
    // Without these declarations, a type that lacks one of the four methods would get the default of
    // `StorageProvider`, which calls `commit`, which calls the missing method: an endless recursion.

    /// Not a default: a `SimpleStorageProvider` implements this method.
    @available(*, unavailable, message: "a SimpleStorageProvider implements saveEntry(_:)")
    public func saveEntry(_ entry: Entry) async throws {}

    /// Not a default: a `SimpleStorageProvider` implements this method.
    @available(*, unavailable, message: "a SimpleStorageProvider implements fetchEntries()")
    public func fetchEntries() async throws -> [Entry] { [] }

    /// Not a default: a `SimpleStorageProvider` implements this method.
    @available(*, unavailable, message: "a SimpleStorageProvider implements updateCluster(_:)")
    public func updateCluster(_ cluster: Cluster) async throws {}

    /// Not a default: a `SimpleStorageProvider` implements this method.
    @available(*, unavailable, message: "a SimpleStorageProvider implements fetchClusters()")
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
        // The four methods cannot remove a cluster, so a cluster without members counts as removed.
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
