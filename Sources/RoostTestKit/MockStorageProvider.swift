public import Foundation
public import RoostModel
import Synchronization

/// A store in memory for the tests of programs that use one: it remembers what was called, and fails when it
/// is told to. What is saved is kept and comes back, as in any other store.
///
///     let storage = MockStorageProvider()
///     storage.fail(.saveEntry, with: StorageError(.full, "full"))
///     …
///     #expect(storage.calls == [.saveEntry(entry)])
public final class MockStorageProvider: StorageDecorator {
    /// A call with what it was given.
    public enum Call: Sendable, Hashable {
        case commit(WriteBatch)
        case snapshot
        case changes(after: ChangeCursor, limit: Int)
        case renewEpoch, compact, close
        case saveEntry(Entry)
        case saveEntries([Entry])
        case fetchEntries
        case updateCluster(Cluster)
        case fetchClusters
        case deleteEntry(Entry.ID)

        /// Which call it is, without what it was given.
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

    public let base: InMemoryStorageProvider
    private let state = Mutex(State())

    /// - Parameter base: what it has in it from the beginning.
    public init(_ base: InMemoryStorageProvider = InMemoryStorageProvider()) { self.base = base }

    /// What was called, in order, calls that failed included; what a call itself calls is not.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Forgets what was called; what is stored stays.
    public func resetCalls() { state.withLock { $0.calls = [] } }

    /// Lets the next call of a kind throw, and do nothing; said twice, the next two.
    ///
    /// - Precondition: it is a call of the store, not of a snapshot (``StorageCall/isOfSnapshot``); those
    ///   fail by ``FaultyStorage``.
    public func failNext(_ call: StorageCall, with error: any Error) {
        precondition(!call.isOfSnapshot, "a mock does not fail at \(call)")
        state.withLock { $0.failures[call, default: []].append(error) }
    }

    /// Lets every call of a kind throw from now on, and do nothing; `nil` ends it.
    public func fail(_ call: StorageCall, with error: (any Error)?) {
        precondition(!call.isOfSnapshot, "a mock does not fail at \(call)")
        state.withLock { $0.lasting[call] = error }
    }

    private func note(_ call: Call) throws {
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
        try note(.commit(batch))
        return try await base.commit(batch)
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try note(.snapshot)
        return try await base.snapshot()
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try note(.changes(after: cursor, limit: limit))
        return try await base.changes(after: cursor, limit: limit)
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try note(.renewEpoch)
        return try await base.renewEpoch()
    }

    public func compact() async throws {
        try note(.compact)
        try await base.compact()
    }

    public func close() async throws {
        try note(.close)
        try await base.close()
    }

    public func saveEntry(_ entry: Entry) async throws {
        try note(.saveEntry(entry))
        try await base.saveEntry(entry)
    }

    public func saveEntries(_ entries: [Entry]) async throws {
        try note(.saveEntries(entries))
        try await base.saveEntries(entries)
    }

    public func fetchEntries() async throws -> [Entry] {
        try note(.fetchEntries)
        return try await base.fetchEntries()
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        try note(.updateCluster(cluster))
        try await base.updateCluster(cluster)
    }

    public func fetchClusters() async throws -> [Cluster] {
        try note(.fetchClusters)
        return try await base.fetchClusters()
    }

    public func deleteEntry(_ id: Entry.ID) async throws {
        try note(.deleteEntry(id))
        try await base.deleteEntry(id)
    }
}
