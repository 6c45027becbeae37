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
