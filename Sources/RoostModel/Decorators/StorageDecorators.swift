import Foundation
public import Logging
import RoostVectors

/// A storage provider that wraps another one and forwards every call that it does not implement itself.
///
/// Decorators are generic over the wrapped provider. The methods that apply them, such as
/// ``StorageProvider/readOnly()``, also work on `any StorageProvider`. The first one applied is the
/// innermost:
///
///     let storage = try LocalStorageProvider().readOnly().logging()
///
/// The simple verbs, such as ``StorageProvider/saveEntry(_:)``, are not forwarded: their default
/// implementations call the other methods of the decorator, so no call bypasses it.
public protocol StorageDecorator<Base>: StorageProvider {
    /// The type of the wrapped provider.
    associatedtype Base: StorageProvider
    /// The wrapped provider.
    var base: Base { get }
}

extension StorageDecorator {
    public func commit(_ batch: WriteBatch) async throws -> Revision { try await base.commit(batch) }
    public func snapshot() async throws -> any StorageSnapshot { try await base.snapshot() }
    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }
    @discardableResult
    public func renewEpoch() async throws -> Stamp { try await base.renewEpoch() }
    public func compact() async throws { try await base.compact() }
    public func close() async throws { try await base.close() }
}

extension StorageProvider {
    /// Returns a provider that reads from this one and rejects every change with the error `.readOnly`.
    ///
    /// Reads and ``close()`` are forwarded. ``compact()`` counts as a change.
    public func readOnly() -> some StorageProvider { ReadOnlyStorage(base: self) }
}

private struct ReadOnlyStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base

    private func refuse() -> StorageError {
        StorageError(.readOnly, "cannot write to the store: it was opened for reading only")
    }

    func commit(_ batch: WriteBatch) async throws -> Revision { throw refuse() }
    func renewEpoch() async throws -> Stamp { throw refuse() }
    func compact() async throws { throw refuse() }
}

// MARK: - Interception

/// A storage provider that passes its calls through a ``StorageInterceptor``. It is the basis of logging,
/// metering and fault injection.
public struct InterceptedStorage<Base: StorageProvider, Interceptor: StorageInterceptor>: StorageDecorator {
    /// The wrapped provider.
    public let base: Base
    /// The code that runs around every call.
    public let interceptor: Interceptor

    /// Creates a provider that passes its calls through an interceptor.
    public init(_ base: Base, by interceptor: Interceptor) {
        (self.base, self.interceptor) = (base, interceptor)
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
}

/// Code that runs around every call to a storage provider and to its snapshots.
///
/// The calls of ``StorageSnapshot/passageSearch`` are not intercepted. The simple verbs, such as
/// ``StorageProvider/saveEntry(_:)``, make the other calls.
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

/// A kind of call to a storage provider or to one of its snapshots.
public enum StorageCall: String, Sendable, Hashable, Codable, CaseIterable {
    /// The calls to a provider. Each case has the name of the method.
    case commit, snapshot, changes, renewEpoch, compact, close
    /// The calls to a snapshot that read entries. `readPage` reads a page of entries or of headers.
    case readEntries, readPage, readRows, readVectors, readRevisions, readEmbeddedEntries
    /// The calls to a snapshot that read sources, clusters, assignments and runs.
    case readSources, readClusters, readAssignments, readClusteringRun, readClustersRevision
}

struct InterceptedSnapshot<Interceptor: StorageInterceptor>: StorageSnapshot {
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

    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry] {
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
}

extension StorageProvider {
    /// Returns a provider that logs every call to this provider and to its snapshots at debug level.
    ///
    /// A log record contains the kind of the call, its size (see
    /// ``StorageInterceptor/intercept(_:size:_:)``), its duration and, if it failed, the error code. It never
    /// contains texts, ids or paths.
    ///
    /// - Parameter logger: Receives the records.
    public func logging(_ logger: Logger = Logger(label: "roost.storage")) -> some StorageProvider {
        InterceptedStorage(self, by: CallLog(logger: logger))
    }
}

private struct CallLog: StorageInterceptor {
    let logger: Logger

    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        guard logger.logLevel <= .debug else { return try await body() }
        let start = ContinuousClock.now
        func write(_ outcome: String) {
            logger.debug(
                "\(call.rawValue)",
                metadata: [
                    "size": "\(size)", "duration": "\(ContinuousClock.now - start)", "outcome": "\(outcome)",
                ])
        }
        do {
            let value = try await body()
            write("done")
            return value
        } catch {
            // Only the error code is logged, because the error message may contain paths.
            write((error as? StorageError)?.code.rawValue ?? "\(type(of: error))")
            throw error
        }
    }
}
