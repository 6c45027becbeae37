import Foundation
import RoostModel

/// Reads the change feed at the revision of a head.
///
/// The position of an entry's latest change is that of its row which is valid at the revision or, after a
/// removal, that of the removal. Removals are never updated, so the change feed of a revision is a condition
/// on revisions, like a snapshot.
struct ChangeReader {
    private let head: Head

    init(_ head: Head) { self.head = head }

    func page(
        after cursor: ChangeCursor, limit: Int, _ connection: Connection, _ limits: CallLimits
    ) throws -> ChangePage {
        var cursor = cursor
        if cursor == .start {
            cursor = ChangeCursor(epoch: head.epoch, revision: .zero, ordinal: 0, horizon: head.horizon)
        }
        guard cursor.epoch == head.epoch, cursor.revision <= head.revision,
            head.horizon <= max(cursor.horizon, cursor.revision)
        else { return .resetRequired }
        guard var changes = try entryChanges(after: cursor, limit: limit, connection, limits) else {
            return .resetRequired
        }
        let clusters = ChangePosition(revision: head.clustersRevision, ordinal: head.clustersOrdinal)
        if clusters.revision > .zero,
            clusters > ChangePosition(revision: cursor.revision, ordinal: cursor.ordinal)
        {
            changes.append(
                Change(
                    kind: .clustersReplaced(try head.run()?.id), revision: clusters.revision,
                    ordinal: clusters.ordinal))
        }
        changes.sort { ($0.revision, $0.ordinal) < ($1.revision, $1.ordinal) }
        let isLast = changes.count <= limit
        if isLast {
            (cursor.revision, cursor.ordinal) = (head.revision, .max)
            if head.revision == .zero { cursor = .start }
        } else {
            changes.removeSubrange(limit...)
            (cursor.revision, cursor.ordinal) = (changes[limit - 1].revision, changes[limit - 1].ordinal)
        }
        return .changes(changes, next: cursor, isLast: isLast)
    }

    /// Returns the changes of entries; `nil` if removals after the cursor have been deleted.
    private func entryChanges(
        after cursor: ChangeCursor, limit: Int, _ connection: Connection, _ limits: CallLimits
    ) throws -> [Change]? {
        let parameters = [
            Parameter(head.store), Parameter(Int64(head.revision.rawValue)),
            Parameter(Int64(clamping: cursor.revision.rawValue)), Parameter(Int64(cursor.ordinal)),
            Parameter(limit == .max ? limit : limit + 1),
        ]
        let results = try connection.run(
            [
                Statement(Self.upserts, parameters), Statement(Self.removals, parameters),
                Head.readability(head.store),
            ], limits)
        guard let row = results[2].rows.first, try row.revision(0) <= head.revision else {
            throw PostgresSnapshot.unreadable(head.revision)
        }
        // A compaction raises the horizon in the transaction that deletes removals.
        guard try row.revision(1) <= max(cursor.horizon, cursor.revision) else { return nil }
        let upserts = try results[0].rows.map { row in
            let header = try EntryRows.Header(row, store: head.store)
            return Change(
                kind: .upserted(header.id), revision: header.position.revision,
                ordinal: header.position.ordinal)
        }
        let removals = try results[1].rows.map { row in
            try row.verify(0..<4, after: Stored.checksumSeed(head.store), "a removal")
            return Change(
                kind: .removed(try row.uuid(2)), revision: try row.revision(0),
                ordinal: UInt32(clamping: try row.int64(1)))
        }
        return upserts + removals
    }

    private static let upserts = """
        SELECT \(EntryRows.headerColumns) FROM roost.entries e
        WHERE e.store = $1::uuid AND (e.added_revision, e.ordinal) > ($3::int8, $4::int8)
            AND \(TableSQL.isValid("e"))
        ORDER BY e.added_revision, e.ordinal LIMIT $5::int8
        """

    /// The removals of entries that were not inserted again up to the revision. If an entry was removed
    /// several times, only its last removal counts.
    private static let removals = """
        SELECT \(Table.removals.selection("r")) FROM roost.removals r
        WHERE r.store = $1::uuid AND (r.revision, r.ordinal) > ($3::int8, $4::int8) AND r.revision <= $2::int8
            AND NOT EXISTS (
                SELECT 1 FROM roost.entries e
                WHERE e.store = $1::uuid AND e.id = r.id AND \(TableSQL.isValid("e")))
            AND NOT EXISTS (
                SELECT 1 FROM roost.removals later
                WHERE later.store = $1::uuid AND later.id = r.id AND later.revision > r.revision
                    AND later.revision <= $2::int8)
        ORDER BY r.revision, r.ordinal LIMIT $5::int8
        """
}
