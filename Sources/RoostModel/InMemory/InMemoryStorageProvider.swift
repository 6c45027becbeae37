public import Foundation
import Synchronization

/// A store in memory: gone with the process, and the reference that every other store is compared with.
///
/// Safe under any number of tasks. Copies of a handle share the store.
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

    /// - Parameter now: the clock that dates removals.
    package init(now: @escaping @Sendable () -> Date) {
        contents = Mutex(Contents(state: StoreState()))
        self.now = now
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        return try contents.withLock { contents in
            try contents.checkOpen()
            try contents.state.apply(batch, at: now())
            return contents.state.stamp.revision
        }
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

    public func renewEpoch() async throws -> Stamp {
        try contents.withLock { contents in
            try contents.checkOpen()
            contents.state.renewEpoch()
            return contents.state.stamp
        }
    }

    public func close() async throws {
        contents.withLock { $0.isClosed = true }
    }

    /// Forgets removals from before a date, as a durable store does after its stated time.
    public func forgetRemovals(before date: Date) {
        contents.withLock { $0.state.forgetRemovals(before: date) }
    }
}
