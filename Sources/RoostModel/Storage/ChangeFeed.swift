package import Foundation

/// The constants of the change feed, which are the same for all stores.
package enum ChangeFeed {
    /// The number of seconds for which a store remembers the removal of an entry: 30 days.
    ///
    /// A reader that reads the change feed at least this often learns of every removal. A reader that pauses
    /// for longer may have to read all entries again (``ChangePage/resetRequired``). A period of 30 days is
    /// long enough for a computer that is switched off during a vacation. The cost is small, because the
    /// record of a removal takes about 100 bytes.
    package static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600
}
