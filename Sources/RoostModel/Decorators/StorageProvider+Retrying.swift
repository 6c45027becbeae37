/// How often and how long to try again.
public struct RetryPolicy: Sendable, Hashable {
    /// The most times a call is made, the first included.
    public var attempts = 4 {
        didSet { precondition(attempts >= 1, "\(attempts) attempts") }
    }
    /// How long to wait before the second time; twice as long before each further one.
    public var pause = Duration.milliseconds(50)
    /// The longest wait.
    public var longestPause = Duration.seconds(2)

    public init(attempts: Int = 4, pause: Duration = .milliseconds(50)) {
        precondition(attempts >= 1, "\(attempts) attempts")
        self.attempts = attempts
        self.pause = pause
    }
}

extension StorageProvider {
    /// Makes a call again where it failed with an error that says that it may succeed later
    /// (``StorageError/isRetryable``), and where making it twice does no harm.
    ///
    /// A commit is idempotent and may be repeated even where its answer was lost: what it finds written is no
    /// change. (Where another writer has replaced the same entry in between, the later one wins, as with any
    /// two writers that expect nothing.) One that expects something
    /// is repeated only where the error says that nothing was written (`.locked`), because its own first try
    /// would look like another writer. A conflict is never retried: whoever wrote the batch must look again.
    /// A cancelled task waits no longer.
    public func retrying(_ policy: RetryPolicy = RetryPolicy()) -> some StorageProvider {
        RetryingStorage(base: self, policy: policy)
    }
}

private struct RetryingStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base
    let policy: RetryPolicy

    private func retry<Value: Sendable>(
        _ mayRepeat: (StorageError) -> Bool = { $0.isRetryable && $0.code != .conflict },
        _ body: () async throws -> Value
    ) async throws -> Value {
        var pause = policy.pause
        for _ in 1..<policy.attempts {
            do {
                return try await body()
            } catch let error as StorageError where mayRepeat(error) {
                try await Task.sleep(for: pause)
                pause = min(pause * 2, policy.longestPause)
            }
        }
        return try await body()
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        if batch.expecting.isEmpty { return try await retry { try await base.commit(batch) } }
        return try await retry({ $0.isRetryable && $0.code == .locked }) { try await base.commit(batch) }
    }

    func renewEpoch() async throws -> Stamp {
        try await retry({ $0.isRetryable && $0.code == .locked }) { try await base.renewEpoch() }
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
