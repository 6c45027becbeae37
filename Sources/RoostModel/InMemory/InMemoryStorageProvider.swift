public import Foundation
import Synchronization

/// A store in the memory of the process. It is also the reference implementation with which tests compare
/// other stores.
///
/// All references to one instance share the store. Any number of tasks can use it at the same time.
///
/// A custom backend that records batches can use an instance of this class to answer reads. The backend
/// applies every recorded batch to the instance (``apply(_:at:)``). To check a new batch before recording it,
/// the backend applies the batch to a ``copy()``.
public final class InMemoryStorageProvider: StorageProvider {
    private struct Contents {
        var state: StoreState
        var isClosed = false

        func checkOpen() throws {
            if isClosed { throw StorageError(.closed, "cannot use the in-memory store: it was closed") }
        }
    }

    private let contents: Mutex<Contents>
    private let now: @Sendable () -> Date

    /// Creates an empty store.
    ///
    /// - Parameter store: The id of the store, which is also its first epoch; random by default.
    public convenience init(store: UUID = UUID()) {
        self.init(state: StoreState(store: store, epoch: store), now: { Date() })
    }

    /// Creates an empty store.
    package convenience init(now: @escaping @Sendable () -> Date) { self.init(state: StoreState(), now: now) }

    private init(state: StoreState, now: @escaping @Sendable () -> Date) {
        contents = Mutex(Contents(state: state))
        self.now = now
    }

    /// Returns an independent store with the same contents.
    ///
    /// - Complexity: O(1). The two stores share their data until one of them changes it.
    public func copy() -> InMemoryStorageProvider {
        InMemoryStorageProvider(state: contents.withLock { $0.state }, now: now)
    }

    /// The stamp of the latest commit.
    public var stamp: Stamp { contents.withLock { $0.state.stamp } }

    /// Commits a batch synchronously.
    ///
    /// - Parameters:
    ///   - batch: The changes to make.
    ///   - date: The date that is recorded for removals; see ``forgetRemovals(before:)``.
    /// - Returns: The revision from which the batch is visible.
    /// - Throws: The errors of ``commit(_:)``, except `CancellationError`.
    @discardableResult
    public func apply(_ batch: WriteBatch, at date: Date = Date()) throws -> Revision {
        try contents.withLock { contents in
            try contents.checkOpen()
            try contents.state.apply(batch, at: date)
            return contents.state.stamp.revision
        }
    }

    /// Begins a new history.
    ///
    /// - Parameter epoch: The name of the new history.
    /// - Returns: The stamp of the same contents in the new epoch.
    /// - Throws: ``StorageError`` with `.closed`.
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
        try Task.checkCancellation()
        return try renewEpoch(to: UUID())
    }

    public func close() async throws { contents.withLock { $0.isClosed = true } }

    /// Forgets the removals that were made before a date, as durable stores do after a retention period.
    ///
    /// Readers whose cursor is older than a forgotten removal must start again
    /// (``ChangePage/resetRequired``).
    public func forgetRemovals(before date: Date) {
        contents.withLock { $0.state.forgetRemovals(before: date) }
    }
}
