public import Foundation

/// One change of a store: the latest change of an entry, or the latest change of the clusters as a whole.
///
/// The change feed contains at most one change per entry and at most one change of the clusters. Earlier
/// changes of the same subject are superseded and are no longer reported.
public struct Change: Sendable, Hashable {
    /// The subject of a change and the kind of its change.
    public enum Kind: Sendable, Hashable {
        /// The entry was inserted or replaced.
        case upserted(Entry.ID)
        /// The entry was removed.
        case removed(Entry.ID)
        /// Clusters or assignments changed. The value is the id of the current clustering run, if there is
        /// one.
        case clustersReplaced(ClusteringRun.ID?)
    }

    /// The subject of the change and the kind of its change.
    public var kind: Kind
    /// The commit that made the change.
    public var revision: Revision
    /// The number of the change within its commit, starting at 1.
    public var ordinal: UInt32

    /// Creates a change.
    public init(kind: Kind, revision: Revision, ordinal: UInt32) {
        (self.kind, self.revision, self.ordinal) = (kind, revision, ordinal)
    }
}

/// Consecutive changes of a store, and the cursor after them.
public struct ChangeBatch: Sendable, Hashable {
    /// The changes in commit order; at least one.
    public var changes: [Change]
    /// The cursor from which the next changes follow. A reader can store it and continue from it later.
    public var next: ChangeCursor
}

/// The position of a reader in the change feed of a store. It can lie between two changes of the same commit.
///
/// A reader that stores the cursor can continue from it in another process.
public struct ChangeCursor: Sendable, Hashable, Codable {
    /// The history that the revisions belong to; `nil` before the first page.
    public var epoch: UUID?
    /// The revision of the last change that the reader has seen.
    public var revision: Revision
    /// The ordinal of the last change that the reader has seen.
    public var ordinal: UInt32
    /// The revision up to which removals had already been forgotten when the reader began. The reader has
    /// never seen the entries that were removed by then, so it does not need to learn of these removals.
    public var horizon: Revision

    /// Creates a cursor. This initializer is for storage providers; readers use ``start``, ``Stamp/cursor``
    /// and the cursors that pages return.
    public init(epoch: UUID?, revision: Revision, ordinal: UInt32, horizon: Revision) {
        (self.epoch, self.revision, self.ordinal, self.horizon) = (epoch, revision, ordinal, horizon)
    }

    /// The position before the first change. The changes after it include every entry of the store.
    public static let start = ChangeCursor(epoch: nil, revision: .zero, ordinal: 0, horizon: .zero)
}

extension ChangeCursor {
    /// Returns the cursor from which a store with the given state continues; `nil` if it requires a reset.
    package func resolved(epoch: UUID, revision latest: Revision, horizon forgotten: Revision)
        -> ChangeCursor?
    {
        if self == .start {
            return ChangeCursor(epoch: epoch, revision: .zero, ordinal: 0, horizon: forgotten)
        }
        let isKnown = self.epoch == epoch && revision <= latest && forgotten <= max(horizon, revision)
        return isKnown ? self : nil
    }

    /// Returns the page after the cursor.
    ///
    /// - Parameters:
    ///   - changes: The changes after the cursor in any order: all of them, or at least one more than `limit` of
    ///     the first ones.
    ///   - latest: The current revision of the store.
    package func page(of changes: [Change], limit: Int, revision latest: Revision) -> ChangePage {
        let changes = changes.sorted { ($0.revision, $0.ordinal) < ($1.revision, $1.ordinal) }
        // Before the first commit, the store may not have an epoch yet.
        if latest == .zero { return .changes([], next: .start, isLast: true) }
        var next = self
        let isLast = changes.count <= limit
        // Later changes have a later revision, so the last page ends with the end of the latest one.
        (next.revision, next.ordinal) =
            isLast ? (latest, .max) : (changes[limit - 1].revision, changes[limit - 1].ordinal)
        return .changes(Array(changes.prefix(limit)), next: next, isLast: isLast)
    }
}

/// The result of reading the changes after a cursor.
public enum ChangePage: Sendable, Hashable {
    /// Changes in commit order.
    ///
    /// - Parameters:
    ///   - next: The cursor from which the next page follows. For a store without commits it is
    ///     ``ChangeCursor/start``.
    ///   - isLast: Whether the page contained all remaining changes when it was read.
    case changes([Change], next: ChangeCursor, isLast: Bool)
    /// The store cannot continue from the cursor: the store was restored or repaired, or it has forgotten
    /// removals that the reader has not seen. The reader must discard its derived data and begin at
    /// ``ChangeCursor/start``.
    case resetRequired
}

package enum ChangeFeed {
    /// The number of seconds for which a store remembers the removal of an entry: 30 days, long enough for a computer
    /// that is switched off during a vacation. A reader that pauses for longer may have to read all entries again
    /// (``ChangePage/resetRequired``).
    package static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600
}

/// An endless sequence of the changes of a store, including those made by other processes, in commit order.
///
/// Iteration ends when the task is canceled. The sequence reports no change twice. If an entry changes
/// several times between two reads, only the latest change is reported.
///
/// An iterator throws ``StorageError`` with `.notFound` if the store cannot continue from the cursor (see
/// ``ChangePage/resetRequired``).
public struct ChangeBatches: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = ChangeBatch

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

    /// Returns an iterator that begins after the cursor of the sequence.
    public func makeAsyncIterator() -> ChangeBatches { self }
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

    /// Returns the ids of the entries that changed after a cursor, reading as many pages as necessary.
    ///
    /// - Parameters:
    ///   - cursor: The position after which to read.
    ///   - limit: The maximum number of changed entries. If there are more, reading everything is cheaper
    ///     than following the changes.
    /// - Returns: The changes; `nil` if there are more than `limit`, or if the store cannot continue from
    ///   the cursor.
    /// - Throws: The errors of ``changes(after:limit:)``.
    package func changedEntries(
        after cursor: ChangeCursor, limit: Int = .max
    ) async throws -> (ids: Set<Entry.ID>, next: ChangeCursor)? {
        var changed = Set<Entry.ID>()
        var cursor = cursor
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await changes(
                    after: cursor, limit: PageSize.changes)
            else { return nil }
            for change in page {
                switch change.kind {
                case .upserted(let id), .removed(let id): changed.insert(id)
                case .clustersReplaced: break
                }
            }
            if changed.count > limit { return nil }
            if isLast { return (changed, next) }
            cursor = next
        }
    }
}

extension Stamp {
    /// The cursor of a reader that has read the complete state at this stamp. The changes after the cursor
    /// are those that were made after that state.
    public var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }
}
