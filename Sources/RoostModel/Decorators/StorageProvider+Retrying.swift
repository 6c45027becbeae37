extension StorageProvider {
    /// Returns a provider that repeats calls that fail temporarily, if repeating them is safe.
    ///
    /// A call is repeated if its error is retryable (``StorageError/isRetryable``) and is not a conflict.
    /// After a conflict, the caller must read the store again and create a new batch. Calls to snapshots are
    /// not repeated.
    ///
    /// Writes are repeated as follows:
    /// - A commit without expectations is idempotent. It is repeated even if the first attempt may have
    ///   written the batch. If another writer has replaced the same entry in between, the repeated commit
    ///   replaces it again; the order of two commits without expectations is never defined.
    /// - A commit with expectations, and ``renewEpoch()``, are repeated only after `.locked`, which
    ///   guarantees that nothing was written. After any other error, the first attempt may have been
    ///   written, and its repetition would conflict with it.
    ///
    /// If the task is canceled during a pause, the pause ends at once with `CancellationError`.
    ///
    /// - Parameter policy: The number of attempts and the pauses between them.
    public func retrying(_ policy: RetryPolicy = RetryPolicy()) -> some StorageProvider {
        RetryingStorage(base: self, policy: policy)
    }
}

private struct RetryingStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base
    let policy: RetryPolicy

    private static func isTemporary(_ error: StorageError) -> Bool {
        error.isRetryable && error.code != .conflict
    }

    /// Whether an error guarantees that nothing was written, so that even a non-idempotent write may be
    /// repeated.
    private static func isBeforeWriting(_ error: StorageError) -> Bool {
        error.isRetryable && error.code == .locked
    }

    private func retry<Value: Sendable>(
        _ mayRepeat: (StorageError) -> Bool = Self.isTemporary,
        _ body: () async throws -> Value
    ) async throws -> Value {
        var pause = min(policy.pause, policy.maximumPause)
        for _ in 1..<policy.attempts {
            do {
                return try await body()
            } catch let error as StorageError where mayRepeat(error) {
                try await Task.sleep(for: pause)
                pause = min(pause * 2, policy.maximumPause)
            }
        }
        return try await body()
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        if batch.expecting.isEmpty { return try await retry { try await base.commit(batch) } }
        return try await retry(Self.isBeforeWriting) { try await base.commit(batch) }
    }

    func renewEpoch() async throws -> Stamp {
        try await retry(Self.isBeforeWriting) { try await base.renewEpoch() }
    }

    func snapshot() async throws -> any StorageSnapshot { try await retry { try await base.snapshot() } }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await retry { try await base.changes(after: cursor, limit: limit) }
    }

    func compact() async throws { try await retry { try await base.compact() } }
    func close() async throws { try await retry { try await base.close() } }
    func saveEntry(_ entry: Entry) async throws { try await retry { try await base.saveEntry(entry) } }
    func saveEntries(_ entries: [Entry]) async throws {
        try await retry { try await base.saveEntries(entries) }
    }
    func fetchEntries() async throws -> [Entry] { try await retry { try await base.fetchEntries() } }
    func updateCluster(_ cluster: Cluster) async throws {
        try await retry { try await base.updateCluster(cluster) }
    }
    func fetchClusters() async throws -> [Cluster] { try await retry { try await base.fetchClusters() } }
    func deleteEntry(_ id: Entry.ID) async throws { try await retry { try await base.deleteEntry(id) } }
}
