public import Foundation
import Synchronization

/// A store in memory: gone with the process, and the reference that every other store is compared with.
///
/// Safe under any number of tasks. Copies of a handle share the store.
///
/// A backend of one's own that keeps batches can have its questions answered by one of these: it applies
/// each batch that it has kept (``apply(_:at:)``), and tries a new one on a ``copy()`` first.
public final class InMemoryStorageProvider: StorageProvider {
    private struct Contents {
        var state: StoreState
        var isClosed = false

        func checkOpen() throws {
            if isClosed { throw StorageError(.closed, "the store was closed") }
        }
    }

    private let contents: Mutex<Contents>
    private let now: @Sendable () -> Date

    /// An empty store.
    public convenience init() { self.init(now: { Date() }) }

    /// An empty store with a given id, which is its first epoch too.
    public convenience init(store: UUID) {
        self.init(state: StoreState(store: store, epoch: store), now: { Date() })
    }

    /// - Parameter now: the clock that dates removals.
    package convenience init(now: @escaping @Sendable () -> Date) { self.init(state: StoreState(), now: now) }

    private init(state: StoreState, now: @escaping @Sendable () -> Date) {
        contents = Mutex(Contents(state: state))
        self.now = now
    }

    /// A store of its own with the same contents.
    ///
    /// - Complexity: O(1); what changes later is copied then.
    public func copy() -> InMemoryStorageProvider {
        InMemoryStorageProvider(state: contents.withLock { $0.state }, now: now)
    }

    /// The state that a snapshot would be of.
    public var stamp: Stamp { contents.withLock { $0.state.stamp } }

    /// Commits a batch, without waiting for anything.
    ///
    /// - Parameter date: when removals are said to have been made.
    /// - Returns: the revision from which the batch is visible.
    /// - Throws: as ``commit(_:)``.
    @discardableResult
    public func apply(_ batch: WriteBatch, at date: Date = Date()) throws -> Revision {
        try contents.withLock { contents in
            try contents.checkOpen()
            try contents.state.apply(batch, at: date)
            return contents.state.stamp.revision
        }
    }

    /// Begins a new history of this name.
    @discardableResult
    public func renewEpoch(to epoch: UUID) throws -> Stamp {
        try contents.withLock { contents in
            try contents.checkOpen()
            contents.state.renewEpoch(to: epoch)
            return contents.state.stamp
        }
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        return try apply(batch, at: now())
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try contents.withLock { contents in
            try contents.checkOpen()
            return InMemorySnapshot(state: contents.state)
        }
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try contents.withLock { contents in
            try contents.checkOpen()
            return try contents.state.changes(after: cursor, limit: limit)
        }
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try renewEpoch(to: UUID())
    }

    public func close() async throws {
        contents.withLock { $0.isClosed = true }
    }

    /// Forgets removals from before a date, as a durable store does after its stated time.
    public func forgetRemovals(before date: Date) {
        contents.withLock { $0.state.forgetRemovals(before: date) }
    }
}
