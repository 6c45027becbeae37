import Foundation
import GRDB
import RoostModel

/// Reads the change feed. The position of an entry's latest change is stored in the entry's row or, after
/// removal, in its tombstone.
enum ChangeReader {
    static func page(after cursor: ChangeCursor, limit: Int, _ database: Database) throws -> ChangePage {
        let meta = try Meta(database)
        let (epoch, revision, horizon) = (meta.epoch, meta.revision, meta.horizon)
        var cursor = cursor
        if cursor == .start {
            cursor = ChangeCursor(epoch: epoch, revision: .zero, ordinal: 0, horizon: horizon)
        }
        guard cursor.epoch == epoch, cursor.revision <= revision,
            horizon <= max(cursor.horizon, cursor.revision)
        else { return .resetRequired }
        let fetchLimit = limit == .max ? Int.max : limit + 1
        let position: StatementArguments = [
            Int64(clamping: cursor.revision.rawValue), Int64(cursor.ordinal), fetchLimit,
        ]
        var changes: [Change] = []
        for (table, isRemoval) in [(Checksum.entries, false), (Checksum.tombstones, true)] {
            let sql = """
                SELECT id, revision, ordinal, \(table.matches(table.name))
                FROM \(table.name) WHERE (revision, ordinal) > (?, ?) ORDER BY revision, ordinal LIMIT ?
                """
            let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: position)
            while let row = try rows.next() {
                try Checksum.check(row, 3, isRemoval ? "a removal" : "an entry")
                let id = try Column.uuid(row.value(0))
                changes.append(
                    Change(
                        kind: isRemoval ? .removed(id) : .upserted(id),
                        revision: Revision(rawValue: try row.value(1)), ordinal: try row.value(2)))
            }
        }
        let clusters = meta.clustersRevision
        if clusters > .zero, (clusters, meta.clustersOrdinal) > (cursor.revision, cursor.ordinal) {
            changes.append(
                Change(
                    kind: .clustersReplaced(try meta.run()?.id), revision: clusters,
                    ordinal: meta.clustersOrdinal))
        }
        changes.sort { ($0.revision, $0.ordinal) < ($1.revision, $1.ordinal) }
        let isLast = changes.count <= limit
        if isLast {
            cursor.revision = revision
            cursor.ordinal = .max
            if revision == .zero { cursor = .start }
        } else {
            changes.removeSubrange(limit...)
            cursor.revision = changes[limit - 1].revision
            cursor.ordinal = changes[limit - 1].ordinal
        }
        return .changes(changes, next: cursor, isLast: isLast)
    }
}
