public import RoostModel

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

    /// The value by which an entry is sorted. Texts precede missing ones.
    private struct Key: Comparable {
        var number: Int64 = 0
        var text: String?

        static func < (left: Key, right: Key) -> Bool {
            switch (left.text, right.text) {
            case (let a?, let b?): a < b
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): left.number < right.number
            }
        }
    }

    /// Returns the ids of the entries that match a filter, in this order.
    ///
    /// - Parameter isReversed: Whether to return them in the opposite order.
    /// - Complexity: O(matching entries × log(matching entries)). Their ids and titles must fit in memory.
    package func ids(
        matching filter: EntryFilter, isReversed: Bool = false, in snapshot: any StorageSnapshot
    ) async throws -> [Entry.ID] {
        var items: [(key: Key, position: Int, id: Entry.ID)] = []
        func add(_ id: Entry.ID, _ key: Key) { items.append((key, items.count, id)) }
        switch self {
        case .added, .created, .source:
            // The headers of entries suffice.
            for try await page in snapshot.headerPages(matching: filter) {
                for header in page.headers { add(header.id, key(of: header)) }
            }
        case .title, .updated, .size:
            for try await page in snapshot.entryPages(matching: filter) {
                for entry in page.entries { add(entry.id, key(of: entry)) }
            }
        }
        items.sort { $0.key < $1.key || (!($1.key < $0.key) && $0.position < $1.position) }
        return isReversed ? items.reversed().map(\.id) : items.map(\.id)
    }

    private func key(of header: EntryHeader) -> Key {
        switch self {
        case .created: Key(number: header.createdAt.milliseconds)
        case .source: Key(text: header.source)
        default: Key()
        }
    }

    private func key(of entry: Entry) -> Key {
        switch self {
        case .title: Key(text: entry.title?.lowercased())
        case .updated: Key(number: entry.updatedAt.milliseconds)
        case .size: Key(number: Int64(entry.content.utf8.count))
        default: key(of: EntryHeader(entry))
        }
    }
}
