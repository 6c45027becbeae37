import Roost
import RoostModel

/// A page of the visible entries that match a filter, newest first. It is the result of a search without a
/// query.
struct EntryListing {
    /// The entries, as results of a search without scores.
    let items: [JSONValue]
    /// Whether no more entries follow.
    let isLast: Bool
    /// The sentences about the list.
    let notices: [String]

    /// The queries that models write to ask for all entries.
    private static let wildcards: Set = ["", "*"]

    /// Returns whether a query asks for a list.
    static func isRequested(by query: String?) -> Bool {
        wildcards.contains(query.map { $0.filter { !$0.isWhitespace } } ?? "")
    }

    /// Reads a page.
    ///
    /// - Complexity: O(number of entries that match the filter).
    init(
        _ filter: EntryFilter, under rules: AccessRules, _ snapshot: any StorageSnapshot, offset: Int,
        limit: Int, tokens: Int
    ) async throws {
        var headers: [EntryHeader] = []
        for try await page in snapshot.headerPages(matching: rules.restricting(filter)) {
            headers += page.headers
        }
        // Of entries with the same date, the one that was stored last is the newest.
        let sorted = headers.enumerated().sorted {
            ($1.element.createdAt, $1.offset) < ($0.element.createdAt, $0.offset)
        }
        let ids = sorted.dropFirst(offset).prefix(limit).map(\.element.id)
        items = try await snapshot.entries(ids).map { Self.item($0, tokens) }
        isLast = offset + ids.count >= headers.count
        guard offset == 0 else {
            notices = ids.isEmpty ? ["there are no entries after the first \(offset)"] : []
            return
        }
        if headers.isEmpty {
            let reason =
                if rules.showsEverything, snapshot.stamp.entryCount == 0 {
                    "the store has no entries"
                } else if filter == .all {
                    SearchNotices.noEntries(showingEverything: rules.showsEverything)
                } else {
                    "no entry matches the filter"
                }
            notices = [reason]
        } else {
            notices = [
                headers.count == 1
                    ? "one entry matches" : "\(headers.count) entries match; they are listed newest first"
            ]
        }
    }

    /// Returns an entry with the beginning of its text.
    private static func item(_ entry: Entry, _ tokens: Int) -> JSONValue {
        var item = EntryJSON.summary(of: entry)
        item["snippet"] = .string(EntryJSON.beginning(of: entry.content, tokens: tokens))
        item["createdAt"] = .string(DateText.string(from: entry.createdAt))
        item["updatedAt"] = .string(DateText.string(from: entry.updatedAt))
        if !entry.tags.isEmpty {
            item.merge(EntryJSON.tags(of: entry, tokens: tokens)) { first, _ in first }
        }
        return .object(item)
    }
}
