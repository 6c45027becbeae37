public import Foundation

/// A storage provider that passes its calls through a ``StorageInterceptor``. It is the basis of logging,
/// metering and fault injection.
public struct InterceptedStorage<Base: StorageProvider, Interceptor: StorageInterceptor>: StorageDecorator {
    /// The wrapped provider.
    public let base: Base
    /// The code that runs around every call.
    public let interceptor: Interceptor

    /// Creates a provider that passes its calls through an interceptor.
    ///
    /// - Parameters:
    ///   - base: The provider that makes the calls.
    ///   - interceptor: The code that runs around every call.
    public init(_ base: Base, by interceptor: Interceptor) {
        self.base = base
        self.interceptor = interceptor
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        let size = batch.upserts.count + batch.removals.count + batch.assignments.count
        return try await interceptor.intercept(.commit, size: size) { try await base.commit(batch) }
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try await interceptor.intercept(.snapshot, size: 0) {
            InterceptedSnapshot(base: try await base.snapshot(), interceptor: interceptor)
        }
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await interceptor.intercept(.changes, size: limit) {
            try await base.changes(after: cursor, limit: limit)
        }
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try await interceptor.intercept(.renewEpoch, size: 0) { try await base.renewEpoch() }
    }

    public func compact() async throws {
        try await interceptor.intercept(.compact, size: 0) { try await base.compact() }
    }

    public func close() async throws {
        try await interceptor.intercept(.close, size: 0) { try await base.close() }
    }

    public func saveEntry(_ entry: Entry) async throws {
        try await interceptor.intercept(.saveEntry, size: 1) { try await base.saveEntry(entry) }
    }

    public func saveEntries(_ entries: [Entry]) async throws {
        try await interceptor.intercept(.saveEntries, size: entries.count) {
            try await base.saveEntries(entries)
        }
    }

    public func fetchEntries() async throws -> [Entry] {
        try await interceptor.intercept(.fetchEntries, size: 0) { try await base.fetchEntries() }
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        try await interceptor.intercept(.updateCluster, size: cluster.members.count) {
            try await base.updateCluster(cluster)
        }
    }

    public func fetchClusters() async throws -> [Cluster] {
        try await interceptor.intercept(.fetchClusters, size: 0) { try await base.fetchClusters() }
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        try await interceptor.intercept(.deleteEntry, size: 1) { try await base.deleteEntry(id) }
    }
}
