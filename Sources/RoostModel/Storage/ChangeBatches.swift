/// Changes that were followed together, and where to go on from.
public struct ChangeBatch: Sendable, Hashable {
    /// In the order of their commits; at least one.
    public var changes: [Change]
    /// To be kept by whoever wants to go on from here another time.
    public var next: ChangeCursor
}

/// The changes of a store as they come, those of other processes too: an endless sequence, which ends with
/// the task that waits for it.
///
/// Nothing is told twice, and of one entry that changes several times between two looks the latest only. An
/// iterator throws ``StorageError`` with `.notFound` where the changes cannot be followed any further: the
/// store was restored or repaired, or removals since the cursor are forgotten; whoever derives something from
/// the store then begins anew at `ChangeCursor.start`.
public struct ChangeBatches: AsyncSequence, Sendable {
    fileprivate let storage: any StorageProvider
    fileprivate let cursor: ChangeCursor
    fileprivate let interval: Duration

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let storage: any StorageProvider
        fileprivate var cursor: ChangeCursor
        fileprivate let interval: Duration

        /// The next changes; waits until there are some.
        ///
        /// - Throws: ``StorageError``; `CancellationError`.
        public mutating func next() async throws -> ChangeBatch? {
            while true {
                try Task.checkCancellation()
                switch try await storage.changes(after: cursor, limit: 1000) {
                case .changes(let changes, let next, _):
                    cursor = next
                    if !changes.isEmpty { return ChangeBatch(changes: changes, next: next) }
                case .resetRequired:
                    throw StorageError(
                        .notFound,
                        "the changes cannot be followed any further: the store has another history, or has "
                            + "forgotten what was removed; begin anew")
                }
                try await Task.sleep(for: interval)
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(storage: storage, cursor: cursor, interval: interval)
    }
}

extension StorageProvider {
    /// The changes after a cursor, and all that come.
    ///
    /// - Parameters:
    ///   - cursor: `.start` for every entry that is there; ``Stamp/cursor`` for what comes after a state.
    ///   - interval: how long to wait between two looks at a store that does not change.
    public func changeBatches(
        after cursor: ChangeCursor, every interval: Duration = .milliseconds(500)
    ) -> ChangeBatches {
        ChangeBatches(storage: self, cursor: cursor, interval: interval)
    }
}
