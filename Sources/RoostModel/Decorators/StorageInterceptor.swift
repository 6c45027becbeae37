public import Foundation
import RoostVectors

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

/// Code that runs around every call to a storage provider and to its snapshots.
public protocol StorageInterceptor: Sendable {
    /// Intercepts a call: makes it once, repeats it, or throws an error instead of making it.
    ///
    /// - Parameters:
    ///   - call: The kind of the call.
    ///   - size: The number of objects that the call concerns: entries, ids, or the limit of a page; 0 if
    ///     it has no such number.
    ///   - body: Makes the call. An interceptor may call it any number of times.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or an error of the interceptor.
    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value
}

/// A storage provider that passes all calls through an interceptor. It is the basis of logging, metering and
/// fault injection.
public struct InterceptedStorage<Base: StorageProvider, Interceptor: StorageInterceptor>: StorageDecorator {
    /// The wrapped provider.
    public let base: Base
    /// The code that runs around every call.
    public let interceptor: Interceptor

    /// Creates a provider that passes all calls through an interceptor.
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

private struct InterceptedSnapshot<Interceptor: StorageInterceptor>: StorageSnapshot {
    let base: any StorageSnapshot
    let interceptor: Interceptor

    var stamp: Stamp { base.stamp }

    // The calls of a search in the storage are not intercepted.
    var passageSearch: (any PassageSearch)? { base.passageSearch }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        try await interceptor.intercept(.readEntries, size: ids.count) { try await base.entries(ids) }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        try await interceptor.intercept(.readPage, size: limit) {
            try await base.entries(after: row, limit: limit, matching: filter)
        }
    }

    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage {
        try await interceptor.intercept(.readPage, size: limit) {
            try await base.headers(after: row, limit: limit, matching: filter)
        }
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await interceptor.intercept(.readRows, size: 0) { try await base.rows(matching: filter) }
    }

    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        try await interceptor.intercept(.readVectors, size: limit) {
            try await base.vectors(of: kind, after: row, limit: limit)
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await interceptor.intercept(.readRevisions, size: ids.count) {
            try await base.revisions(of: ids)
        }
    }

    func embeddedEntries(
        withContent digests: Set<ContentDigest>
    ) async throws -> [ContentDigest: Entry] {
        try await interceptor.intercept(.readEmbeddedEntries, size: digests.count) {
            try await base.embeddedEntries(withContent: digests)
        }
    }

    func sources(_ ids: [Source.ID]) async throws -> [Source] {
        try await interceptor.intercept(.readSources, size: ids.count) { try await base.sources(ids) }
    }

    func sources() async throws -> [Source] {
        try await interceptor.intercept(.readSources, size: 0) { try await base.sources() }
    }

    func sources(after id: Source.ID?, limit: Int) async throws -> SourcePage {
        try await interceptor.intercept(.readSources, size: limit) {
            try await base.sources(after: id, limit: limit)
        }
    }

    func sourceCount() async throws -> Int {
        try await interceptor.intercept(.readSources, size: 0) { try await base.sourceCount() }
    }

    func clusters() async throws -> [Cluster] {
        try await interceptor.intercept(.readClusters, size: 0) { try await base.clusters() }
    }

    func clusterRecords() async throws -> [Cluster] {
        try await interceptor.intercept(.readClusters, size: 0) { try await base.clusterRecords() }
    }

    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await interceptor.intercept(.readAssignments, size: ids?.count ?? 0) {
            try await base.assignments(of: ids)
        }
    }

    func clusteringRun() async throws -> ClusteringRun? {
        try await interceptor.intercept(.readClusteringRun, size: 0) { try await base.clusteringRun() }
    }

    func clustersRevision() async throws -> Revision {
        try await interceptor.intercept(.readClustersRevision, size: 0) {
            try await base.clustersRevision()
        }
    }

    func textStatistics(maximumTokens limit: Int?) async throws -> TextStatistics {
        try await interceptor.intercept(.readPage, size: stamp.entryCount) {
            try await base.textStatistics(maximumTokens: limit)
        }
    }
}
