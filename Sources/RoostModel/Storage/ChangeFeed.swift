package import Foundation

/// Constants of the change feed that all stores share.
package enum ChangeFeed {
    /// The number of seconds for which a store remembers the removal of an entry: 30 days.
    ///
    /// A follower of the change feed that reads at least once in this time learns of every removal; one
    /// that was away for longer has to read all entries again (``ChangePage/resetRequired``). A month
    /// covers a computer that is switched off during a holiday. A tombstone takes about 100 bytes, so the
    /// cost is small.
    package static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600
}
