import RoostText

/// The changes of a store in the order of their positions.
///
/// An item is superseded if a later change of the same subject follows. Superseded items are not removed
/// individually: the log is compacted when it has about doubled in size. Appending is therefore O(1)
/// amortized. The items after a position are found by binary search.
struct ChangeLog: Sendable {
    enum Subject: Sendable, Hashable {
        case entry(Entry.ID)
        case clusters
    }

    struct Item: Sendable {
        var position: ChangePosition
        var subject: Subject
    }

    /// The items that were read when the store was opened. Every copy of the state shares this array.
    private let archived: [Item]
    private var items: [Item] = []
    private var sizeAfterCompaction = 0

    /// The log may grow by this number of items, in addition to doubling, before it is compacted. Compacting
    /// a smaller log is not worth the cost.
    private static let minimumSizeForCompaction = 1024

    /// Creates a log of items in ascending order of their positions.
    init(archived: [Item] = []) { self.archived = archived }

    mutating func append(_ position: ChangePosition, _ subject: Subject) {
        items.append(Item(position: position, subject: subject))
    }

    /// Returns the items after a position, in order, including superseded ones.
    func items(after position: ChangePosition) -> some Sequence<Item> {
        [Self.tail(of: archived, after: position), Self.tail(of: items, after: position)].joined()
    }

    private static func tail(of items: [Item], after position: ChangePosition) -> ArraySlice<Item> {
        items[items.partitioningIndex { $0.position > position }...]
    }

    /// Whether the log has more than doubled since the last compaction and is large enough to be compacted.
    var needsCompaction: Bool { items.count > 2 * sizeAfterCompaction + Self.minimumSizeForCompaction }

    mutating func compact(keeping isCurrent: (ChangePosition, Subject) -> Bool) {
        items.removeAll { !isCurrent($0.position, $0.subject) }
        sizeAfterCompaction = items.count
    }
}

/// The position of a change in the change feed: its commit, and its ordinal within the commit.
package struct ChangePosition: Sendable, Hashable, Comparable, Codable {
    package var revision: Revision
    package var ordinal: UInt32

    package init(revision: Revision, ordinal: UInt32) { (self.revision, self.ordinal) = (revision, ordinal) }

    package static func < (left: ChangePosition, right: ChangePosition) -> Bool {
        (left.revision, left.ordinal) < (right.revision, right.ordinal)
    }
}
