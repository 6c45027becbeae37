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
/// - Entries and clusters are fetched one after the other. A snapshot, and the check of the expectations of a
///   batch, may therefore see a part of a batch that is being saved.
/// - An entry that is a member of several fetched clusters belongs to the one that was updated last.
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
        let (before, saved) = try await fetchState()
        var state = before
        try state.apply(batch)
        for id in batch.removals { if try before.entry(id) != nil { try await deleteEntry(id) } }
        for entry in batch.upserts { if try before.entry(entry.id) != entry { try await saveEntry(entry) } }
        let oldClusters = Dictionary(uniqueKeysWithValues: before.clustersWithMembers().map { ($0.id, $0) })
        let savedMembers = Dictionary(uniqueKeysWithValues: saved.map { ($0.id, $0.members) })
        var vanished = Set(oldClusters.keys)
        for cluster in state.clustersWithMembers() {
            vanished.remove(cluster.id)
            // A saved list can have members that now belong to another cluster or to none. Without that other
            // cluster, they would belong to this one again.
            let hasFormerMembers = !Set(savedMembers[cluster.id] ?? []).isSubset(of: cluster.members)
            if oldClusters[cluster.id] != cluster || hasFormerMembers { try await updateCluster(cluster) }
        }
        // The four methods cannot remove a cluster. Clusters that the batch removes are therefore saved
        // without members.
        for id in vanished {
            guard var emptied = oldClusters[id] else { continue }
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

    private func currentState() async throws -> StoreState { try await fetchState().state }

    private func fetchState() async throws -> (state: StoreState, clusters: [Cluster]) {
        let entries = try await fetchEntries()
        let clusters = try await fetchClusters().filter { !$0.members.isEmpty }
        do {
            return (try StoreState(entries: entries, clusters: clusters), clusters)
        } catch let error as StorageError {
            // The caller of a read has no batch that it could correct.
            throw StorageError(
                .damaged, "cannot use the fetched entries and clusters: \(error.message)", underlying: error)
        }
    }
}
