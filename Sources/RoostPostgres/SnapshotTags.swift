import Foundation
import RoostModel
import Synchronization

/// The different tags of a store. Filters compare them without regard to case, and look up the entries with
/// those that match by digest, because a server compares texts by the rules of its database.
final class SnapshotTags: Sendable {
    /// The tags after they were read.
    private let tags = Mutex<[String]?>(nil)

    /// The number of tags that are found by one search of the index each. If a store has more different tags,
    /// a scan finds the others in less time.
    private static let searchedCount = 10_000

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags. Tags that entries
    /// had in other revisions may be among them.
    func tags(
        for filter: EntryFilter, of store: UUID, _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [String] {
        guard filter.testsTags else { return [] }
        if let known = tags.withLock({ $0 }) { return known }
        let found = try Self.read(store, run)
        tags.withLock { $0 = found }
        return found
    }

    private static func read(
        _ store: UUID, _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [String] {
        let selection = "FROM roost.attributes a WHERE a.store = $1::uuid AND a.name = $2::uuid"
        let parameters = [Parameter(store), Parameter(Attribute.tag)]
        let search = Statement(
            """
            WITH RECURSIVE t(value) AS (
                (SELECT a.value \(selection) ORDER BY a.value LIMIT 1)
                UNION ALL
                SELECT (SELECT a.value \(selection) AND a.value > t.value ORDER BY a.value LIMIT 1)
                FROM t WHERE t.value IS NOT NULL
            )
            SELECT t.value, (SELECT a.text \(selection) AND a.value = t.value LIMIT 1)
            FROM t WHERE t.value IS NOT NULL LIMIT $3::int8
            """, parameters + [Parameter(searchedCount)])
        var rows = try run([search])[0].rows
        if rows.count == searchedCount, let last = try rows.last?.uuid(0) {
            let scan = Statement(
                "SELECT DISTINCT a.value, a.text \(selection) AND a.value > $3::uuid",
                parameters + [Parameter(last)])
            rows += try run([scan])[0].rows
        }
        return rows.map { String(decoding: $0.rawBytes(1), as: UTF8.self) }
    }
}
