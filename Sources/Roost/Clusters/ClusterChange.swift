import RoostModel

/// A change of the clusters that is ready to be committed, and the value that is returned to the caller after
/// the commit.
struct ClusterChange<Value: Sendable>: Sendable {
    var batch: WriteBatch
    var value: Value
}

extension StorageProvider {
    /// Commits a change that is computed from the current clusters. If another writer changes the clusters in
    /// the meantime, the change is computed again from the new state. An empty batch is not committed.
    ///
    /// - Throws: `StorageError`; everything that `change` throws; `CancellationError`.
    @concurrent
    func commitClusterChange<Value: Sendable>(
        _ change: @Sendable (any StorageSnapshot) async throws -> ClusterChange<Value>
    ) async throws -> Value {
        try await ConflictRetry.standard.run {
            let snapshot = try await snapshot()
            let revision = try await snapshot.clustersRevision()
            var change = try await change(snapshot)
            guard !change.batch.isEmpty else { return change.value }
            change.batch.expecting.clusters = revision
            _ = try await commit(change.batch)
            return change.value
        }
    }
}
