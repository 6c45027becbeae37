/// An endless sequence of the changes of a store, including those made by other processes, in commit order.
///
/// Iteration ends when the task is canceled. The sequence reports no change twice. If an entry changes
/// several times between two reads, only the latest change is reported.
///
/// An iterator throws ``StorageError`` with `.notFound` if the store cannot continue from the cursor. This
/// happens if the store was restored or repaired, or has forgotten removals that the reader has not seen. The
/// reader must then discard its derived data and begin at ``ChangeCursor/start``.
public struct ChangeBatches: AsyncSequence, Sendable {
    public typealias Element = ChangeBatch

    fileprivate let storage: any StorageProvider
    fileprivate let cursor: ChangeCursor
    fileprivate let interval: Duration

    /// The iterator over the changes of a store.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let storage: any StorageProvider
        fileprivate var cursor: ChangeCursor
        fileprivate let interval: Duration

        /// Waits until there are changes after the last batch, and returns them.
        ///
        /// - Throws: ``StorageError``; `CancellationError`.
        public mutating func next() async throws -> ChangeBatch? {
            while true {
                try Task.checkCancellation()
                switch try await storage.changes(after: cursor, limit: PageSize.changes) {
                case .changes(let changes, let next, _):
                    cursor = next
                    if !changes.isEmpty { return ChangeBatch(changes: changes, next: next) }
                case .resetRequired:
                    throw StorageError(
                        .notFound,
                        "cannot follow the changes of the store: it began a new epoch, or it no longer "
                            + "records all removals since the cursor; read the changes from the start")
                }
                try await Task.sleep(for: interval)
            }
        }
    }

    /// Returns an iterator that begins after the cursor of the sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(storage: storage, cursor: cursor, interval: interval)
    }
}

extension StorageProvider {
    /// Returns a sequence of the changes after a cursor, followed by later changes as they are committed.
    ///
    /// - Parameters:
    ///   - cursor: The position after which to begin: ``ChangeCursor/start`` for every entry of the store, or
    ///     ``Stamp/cursor`` for the changes since a snapshot.
    ///   - interval: The time between two reads while the store does not change.
    public func changeBatches(
        after cursor: ChangeCursor, every interval: Duration = .milliseconds(500)
    ) -> ChangeBatches {
        ChangeBatches(storage: self, cursor: cursor, interval: interval)
    }
}
