public import Foundation

/// A storage provider of four methods, for a small backend of one's own: the rest is done over them.
///
/// Implement ``StorageProvider/saveEntry(_:)`` (insert, or replace the entry of the same id),
/// ``StorageProvider/fetchEntries()``, ``StorageProvider/updateCluster(_:)`` and
/// ``StorageProvider/fetchClusters()``, and ``StorageProvider/deleteEntry(_:)`` if the backend can remove.
///
/// What four methods cannot promise, the rest does not: a batch is saved one entry after the other, and a
/// failure in the middle leaves what came before it; a revision is the latest date among entries and
/// clusters in milliseconds; the change feed always asks for a reset, so whoever follows it reads
/// everything again; source records, run records and similarities are not kept. Each call reads all
/// entries. For more, implement ``StorageProvider``.
public protocol SimpleStorageProvider: StorageProvider {}

extension SimpleStorageProvider {
    // Without these, a type that forgets one of the four would get the default of `StorageProvider`, which
    // calls `commit`, which calls the forgotten one.
    @available(*, unavailable, message: "a SimpleStorageProvider implements saveEntry(_:)")
    public func saveEntry(_ entry: Entry) async throws {}

    @available(*, unavailable, message: "a SimpleStorageProvider implements fetchEntries()")
    public func fetchEntries() async throws -> [Entry] { [] }

    @available(*, unavailable, message: "a SimpleStorageProvider implements updateCluster(_:)")
    public func updateCluster(_ cluster: Cluster) async throws {}

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
            .unsupported, "this storage has no way to remove entries; implement deleteEntry(_:)")
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
        let kept = Dictionary(uniqueKeysWithValues: before.clustersWithMembers().map { ($0.id, $0) })
        var vanished = Set(kept.keys)
        for cluster in state.clustersWithMembers() {
            vanished.remove(cluster.id)
            if kept[cluster.id] != cluster { try await updateCluster(cluster) }
        }
        // There is no verb that removes a cluster: one without members stands for none.
        for id in vanished {
            guard var emptied = kept[id], !emptied.members.isEmpty else { continue }
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
        throw StorageError(.unsupported, "this storage keeps no epoch")
    }

    public func close() async throws {}

    private func currentState() async throws -> StoreState {
        let entries = try await fetchEntries()
        let clusters = try await fetchClusters()
        return try StoreState(entries: entries, clusters: clusters.filter { !$0.members.isEmpty })
    }
}
