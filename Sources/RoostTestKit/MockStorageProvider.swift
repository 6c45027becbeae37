public import Foundation
public import RoostModel
import Synchronization

/// An in-memory store for testing programs that use a store. It records its calls, and can be made to fail.
///
/// Saved data can be fetched, as from any other store.
///
///     let storage = MockStorageProvider()
///     storage.fail(.saveEntry, with: StorageError(.full, "full"))
///     …
///     #expect(storage.calls == [.saveEntry(entry)])
public final class MockStorageProvider: StorageDecorator {
    /// A call with its arguments.
    public enum Call: Sendable, Hashable {
        /// A call of `commit(_:)`.
        case commit(WriteBatch)
        /// A call of `snapshot()`.
        case snapshot
        /// A call of `changes(after:limit:)`.
        case changes(after: ChangeCursor, limit: Int)
        /// A call of the method with the same name.
        case renewEpoch, compact, close
        /// A call of `saveEntry(_:)`.
        case saveEntry(Entry)
        /// A call of `saveEntries(_:)`.
        case saveEntries([Entry])
        /// A call of `fetchEntries()`.
        case fetchEntries
        /// A call of `updateCluster(_:)`.
        case updateCluster(Cluster)
        /// A call of `fetchClusters()`.
        case fetchClusters
        /// A call of `deleteEntry(_:)`.
        case deleteEntry(Entry.ID)

        /// The kind of the call, without its arguments.
        public var kind: StorageCall {
            switch self {
            case .commit: .commit
            case .snapshot: .snapshot
            case .changes: .changes
            case .renewEpoch: .renewEpoch
            case .compact: .compact
            case .close: .close
            case .saveEntry: .saveEntry
            case .saveEntries: .saveEntries
            case .fetchEntries: .fetchEntries
            case .updateCluster: .updateCluster
            case .fetchClusters: .fetchClusters
            case .deleteEntry: .deleteEntry
            }
        }
    }

    private struct State {
        var calls: [Call] = []
        var failures: [StorageCall: [any Error]] = [:]
        var lasting: [StorageCall: any Error] = [:]
    }

    /// The store that contains the data.
    public let base: InMemoryStorageProvider
    private let state = Mutex(State())

    /// Creates a mock.
    ///
    /// - Parameter base: The store that contains the data; by default a new, empty store.
    public init(_ base: InMemoryStorageProvider = InMemoryStorageProvider()) { self.base = base }

    /// All calls so far in order, including those that failed. Calls made by the mock's own methods are not
    /// included.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Clears the list of recorded calls. The stored data is kept.
    public func resetCalls() { state.withLock { $0.calls = [] } }

    /// Makes the next call of the given kind throw an error and do nothing. If this method is called twice,
    /// the next two calls fail.
    ///
    /// - Precondition: `call` is not a call on a snapshot (`StorageCall.isOfSnapshot`). For such calls, use
    ///   ``FaultyStorage``.
    public func failNext(_ call: StorageCall, with error: any Error) {
        precondition(!call.isOfSnapshot, "a mock cannot fail calls of snapshots; use FaultyStorage")
        state.withLock { $0.failures[call, default: []].append(error) }
    }

    /// Makes every call of the given kind throw an error and do nothing. Pass `nil` to let the calls succeed
    /// again.
    ///
    /// - Precondition: `call` is not a call on a snapshot (`StorageCall.isOfSnapshot`). For such calls, use
    ///   ``FaultyStorage``.
    public func fail(_ call: StorageCall, with error: (any Error)?) {
        precondition(!call.isOfSnapshot, "a mock cannot fail calls of snapshots; use FaultyStorage")
        state.withLock { $0.lasting[call] = error }
    }

    private func record(_ call: Call) throws {
        let failure: (any Error)? = state.withLock { state in
            state.calls.append(call)
            guard var waiting = state.failures[call.kind], !waiting.isEmpty else {
                return state.lasting[call.kind]
            }
            let first = waiting.removeFirst()
            state.failures[call.kind] = waiting
            return first
        }
        if let failure { throw failure }
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try record(.commit(batch))
        return try await base.commit(batch)
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try record(.snapshot)
        return try await base.snapshot()
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try record(.changes(after: cursor, limit: limit))
        return try await base.changes(after: cursor, limit: limit)
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try record(.renewEpoch)
        return try await base.renewEpoch()
    }

    public func compact() async throws {
        try record(.compact)
        try await base.compact()
    }

    public func close() async throws {
        try record(.close)
        try await base.close()
    }

    public func saveEntry(_ entry: Entry) async throws {
        try record(.saveEntry(entry))
        try await base.saveEntry(entry)
    }

    public func saveEntries(_ entries: [Entry]) async throws {
        try record(.saveEntries(entries))
        try await base.saveEntries(entries)
    }

    public func fetchEntries() async throws -> [Entry] {
        try record(.fetchEntries)
        return try await base.fetchEntries()
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        try record(.updateCluster(cluster))
        try await base.updateCluster(cluster)
    }

    public func fetchClusters() async throws -> [Cluster] {
        try record(.fetchClusters)
        return try await base.fetchClusters()
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        try record(.deleteEntry(id))
        try await base.deleteEntry(id)
    }
}
