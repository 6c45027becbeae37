/// A change's place: the commit and the place in it.
package struct ChangePosition: Sendable, Hashable, Comparable, Codable {
    package var revision: Revision
    package var ordinal: UInt32

    package init(revision: Revision, ordinal: UInt32) {
        self.revision = revision
        self.ordinal = ordinal
    }

    package static func < (left: ChangePosition, right: ChangePosition) -> Bool {
        (left.revision, left.ordinal) < (right.revision, right.ordinal)
    }
}

/// What changed, in order. Items that a later change overtook stay until half of them are such, so that
/// appending is O(1) on average and a page is found by binary search.
struct ChangeLog: Sendable {
    enum Subject: Sendable, Hashable {
        case entry(Entry.ID)
        case clusters
    }

    struct Item: Sendable {
        var position: ChangePosition
        var subject: Subject
    }

    /// What was there when the store was opened; shared by every copy.
    private let archived: [Item]
    private var items: [Item] = []
    private var sizeAfterCompaction = 0

    /// - Parameter archived: in the order of their positions.
    init(archived: [Item] = []) { self.archived = archived }

    mutating func append(_ position: ChangePosition, _ subject: Subject) {
        items.append(Item(position: position, subject: subject))
    }

    /// The items after a position, in order.
    func items(after position: ChangePosition) -> some Sequence<Item> {
        [Self.tail(of: archived, after: position), Self.tail(of: items, after: position)].joined()
    }

    private static func tail(of items: [Item], after position: ChangePosition) -> ArraySlice<Item> {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return items[low...]
    }

    var needsCompaction: Bool { items.count > 2 * sizeAfterCompaction + 1024 }

    mutating func compact(keeping isCurrent: (ChangePosition, Subject) -> Bool) {
        items.removeAll { !isCurrent($0.position, $0.subject) }
        sizeAfterCompaction = items.count
    }
}
