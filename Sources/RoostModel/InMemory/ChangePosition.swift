/// The position of a change in the change feed: its commit, and its ordinal within the commit.
package struct ChangePosition: Sendable, Hashable, Comparable, Codable {
    /// The commit that made the change.
    package var revision: Revision
    /// The number of the change within its commit, starting at 1.
    package var ordinal: UInt32

    package init(revision: Revision, ordinal: UInt32) {
        self.revision = revision
        self.ordinal = ordinal
    }

    package static func < (left: ChangePosition, right: ChangePosition) -> Bool {
        (left.revision, left.ordinal) < (right.revision, right.ordinal)
    }
}
