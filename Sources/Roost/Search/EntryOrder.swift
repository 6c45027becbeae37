package import RoostModel

/// An order of entries. Entries with equal values are in the order in which they were added.
public enum EntryOrder: String, Sendable, Hashable, CaseIterable {
    /// The order in which the entries were added to the store.
    case added
    /// By title, without regard to case. Entries without a title are last.
    case title
    /// By the date of creation, oldest first.
    case created
    /// By the date of the last change, oldest first.
    case updated
    /// By the length of the text in bytes, shortest first.
    case size
    /// By the id of the source. Entries without a source are last.
    case source

    /// The value by which an entry is sorted. Entries with a text precede the others.
    private typealias Key = (lacksText: Int, text: String, number: Int64)

    /// Returns the ids of the entries that match a filter, in this order.
    package func ids(
        matching filter: EntryFilter, isReversed: Bool = false, in snapshot: any StorageSnapshot
    ) async throws -> [Entry.ID] {
        var items: [(key: Key, position: Int, id: Entry.ID)] = []
        func add(_ id: Entry.ID, _ text: String?, _ number: Int64) {
            items.append(((text == nil ? 1 : 0, text ?? "", number), items.count, id))
        }
        switch self {
        case .added, .created, .source:
            // The headers of entries suffice.
            for try await page in snapshot.headerPages(matching: filter) {
                for header in page.headers {
                    let number = self == .created ? header.createdAt.milliseconds : 0
                    add(header.id, self == .source ? header.source : nil, number)
                }
            }
        case .title, .updated, .size:
            for try await page in snapshot.entryPages(matching: filter) {
                for entry in page.entries {
                    let size = Int64(entry.content.utf8.count)
                    let number = self == .updated ? entry.updatedAt.milliseconds : self == .size ? size : 0
                    add(entry.id, self == .title ? entry.title?.lowercased() : nil, number)
                }
            }
        }
        items.sort { $0.key == $1.key ? $0.position < $1.position : $0.key < $1.key }
        return isReversed ? items.reversed().map(\.id) : items.map(\.id)
    }
}
