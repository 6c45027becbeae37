public import Foundation

/// One thing that changed. Of each entry, and of the clusters as a whole, a store keeps the latest change
/// only.
public struct Change: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The entry was inserted or replaced.
        case upserted(Entry.ID)
        /// The entry was removed.
        case removed(Entry.ID)
        /// The clusters, one of them, or who belongs to them changed; the run that stands now.
        case clustersReplaced(ClusteringRun.ID?)
    }

    public var kind: Kind
    /// The commit that made the change.
    public var revision: Revision
    /// The change's place in its commit.
    public var ordinal: UInt32

    public init(kind: Kind, revision: Revision, ordinal: UInt32) {
        self.kind = kind
        self.revision = revision
        self.ordinal = ordinal
    }
}

/// Up to where a reader has followed the changes. A page may end inside a commit.
public struct ChangeCursor: Sendable, Hashable, Codable {
    /// The history that the numbers belong to; `nil` before the first page.
    public var epoch: UUID?
    /// The last change that the reader has seen.
    public var revision: Revision
    public var ordinal: UInt32
    /// Removals up to here were forgotten before the reader began, which it therefore cannot have missed.
    public var horizon: Revision

    public init(epoch: UUID?, revision: Revision, ordinal: UInt32, horizon: Revision) {
        self.epoch = epoch
        self.revision = revision
        self.ordinal = ordinal
        self.horizon = horizon
    }

    /// Before the first change: what follows is every entry of the store.
    public static let start = ChangeCursor(epoch: nil, revision: .zero, ordinal: 0, horizon: .zero)
}

/// What follows a cursor.
public enum ChangePage: Sendable, Hashable {
    /// Changes in the order of their commits.
    ///
    /// - Parameters:
    ///   - next: where the following page begins; to be kept. Of a store that nothing was ever committed to
    ///     it is `ChangeCursor.start`.
    ///   - isLast: whether these were all when the page was read.
    case changes([Change], next: ChangeCursor, isLast: Bool)
    /// The cursor is of another history (a restored or repaired store), or older than the removals that the
    /// store still remembers: forget what was derived and begin again at `ChangeCursor.start`.
    case resetRequired
}
