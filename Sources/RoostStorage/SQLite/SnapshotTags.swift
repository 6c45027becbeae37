import Foundation
import GRDB
import RoostModel
import Synchronization

/// The different tags in a snapshot. Filters compare them without regard to case and look up the entries with
/// those that match, because SQLite cannot compare all characters so.
final class SnapshotTags: Sendable {
    /// The tags after they were read.
    private let tags = Mutex<[String]?>(nil)

    /// The number of tags that are found by one search of the index each. If a store has more different tags,
    /// a scan finds the others in less time.
    private static let searchedCount = 5_000

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags.
    ///
    /// - Complexity: O(different tags × log(tags of all entries)) for the first filter, with an upper bound
    ///   of O(tags of all entries).
    func tags(for filter: EntryFilter, _ database: Database) throws -> [String] {
        guard filter.testsTags else { return [] }
        if let known = tags.withLock({ $0 }) { return known }
        let found = try Self.read(database)
        tags.withLock { $0 = found }
        return found
    }

    private static func read(_ database: Database) throws -> [String] {
        let search = try database.cachedStatement(
            sql: """
                WITH RECURSIVE t(tag) AS (
                    SELECT min(tag) FROM entry_tags
                    UNION ALL
                    SELECT (SELECT min(tag) FROM entry_tags WHERE tag > t.tag) FROM t WHERE t.tag IS NOT NULL
                ) SELECT tag FROM t WHERE tag IS NOT NULL LIMIT ?
                """)
        var found = try Data.fetchAll(search, arguments: [searchedCount])
        if found.count == searchedCount, let last = found.last {
            let scan = try database.cachedStatement(
                sql: "SELECT DISTINCT tag FROM entry_tags WHERE tag > ? ORDER BY tag")
            found += try Data.fetchAll(scan, arguments: [last])
        }
        return try found.map(Column.text)
    }
}
