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
        self.kind = kind
        self.revision = revision
        self.ordinal = ordinal
    }
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
        self.epoch = epoch
        self.revision = revision
        self.ordinal = ordinal
        self.horizon = horizon
    }

    /// The position before the first change. The changes after it include every entry of the store.
    public static let start = ChangeCursor(epoch: nil, revision: .zero, ordinal: 0, horizon: .zero)
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
