import RoostModel

/// A decorator of a storage that changes or observes commits.
///
/// The simple verbs that write keep their default implementations, which call `commit(_:)`, so that no write
/// bypasses the decorator. `StorageDecorator` would forward them to the wrapped storage. All other calls are
/// forwarded.
protocol CommitDecorator: StorageProvider {
    /// The type of the wrapped storage.
    associatedtype Base: StorageProvider
    /// The wrapped storage.
    var base: Base { get }
}

extension CommitDecorator {
    func snapshot() async throws -> any StorageSnapshot { try await base.snapshot() }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }

    @discardableResult
    func renewEpoch() async throws -> Stamp { try await base.renewEpoch() }

    var workRecords: (any WorkRecords)? { base.workRecords }

    func compact() async throws { try await base.compact() }

    func close() async throws { try await base.close() }

    func fetchEntries() async throws -> [Entry] { try await base.fetchEntries() }

    func fetchClusters() async throws -> [Cluster] { try await base.fetchClusters() }
}
