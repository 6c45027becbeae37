import Foundation
import RoostFiles
import RoostModel

/// The state of a store as a whole. The table `heads` has one row per store, which every commit locks and
/// updates.
struct Head: Sendable {
    let store: UUID
    var epoch: UUID
    var revision = Revision.zero
    var horizon = Revision.zero
    /// The first revision whose snapshot is complete. The rows that earlier snapshots need may be deleted.
    var readableFrom = Revision.zero
    var nextRow: Int64 = 0
    var nextPosition: Int64 = 0
    var entryCount = 0
    var clusterCount = 0
    var vectorCount = 0
    /// The dimension of the vectors; 0 before the first one.
    var dimension = 0
    var clustersRevision = Revision.zero
    var clustersOrdinal: UInt32 = 0
    var runRecord: [UInt8]?
    /// The id of the batch of the revision; `nil` if it was not read.
    var batch: UUID?

    init(store: UUID, epoch: UUID) { (self.store, self.epoch) = (store, epoch) }

    init(_ row: ResultRow, store: UUID) throws {
        try row.verify(0..<13, after: Stored.checksumSeed(store), "a head row")
        self.store = store
        epoch = try row.uuid(0)
        revision = try row.revision(1)
        horizon = try row.revision(2)
        readableFrom = try row.revision(3)
        nextRow = try row.int64(4)
        nextPosition = try row.int64(5)
        entryCount = try row.int(6)
        clusterCount = try row.int(7)
        vectorCount = try row.int(8)
        dimension = try row.int(9)
        clustersRevision = try row.revision(10)
        clustersOrdinal = UInt32(clamping: try row.int64(11))
        runRecord = row.bytesIfPresent(12)
    }

    var stamp: Stamp {
        Stamp(
            store: store, epoch: epoch, revision: revision, entryCount: entryCount, clusterCount: clusterCount
        )
    }

    func run() throws -> ClusteringRun? {
        try runRecord.map { try $0.withUnsafeBytes { try Stored.value(ClusteringRun.self, $0) } }
    }

    // MARK: Statements

    private static let columns = """
        epoch, revision, horizon, readable_from, next_row, next_position, entries, clusters, vectors,
        dimension, clusters_revision, clusters_ordinal, run, checksum
        """

    private static func batch(of revision: String) -> String {
        "(SELECT c.batch FROM roost.commits c WHERE c.store = $1::uuid AND c.revision = \(revision))"
    }

    /// The columns of ``selection(_:seen:)`` with the ids of the batches of the head's revision and of the
    /// seen revision; NULL if there is no record.
    static let (batchColumn, seenBatchColumn) = (14, 15)

    /// - Parameter seen: A revision whose batch is read too.
    static func selection(_ store: UUID, seen: Revision = .zero) -> Statement {
        Statement(
            """
            SELECT \(columns), \(batch(of: "h.revision")), \(batch(of: "$2::int8"))
            FROM roost.heads h WHERE h.store = $1::uuid
            """, [Parameter(store), Parameter(seen)])
    }

    /// Returns the statement that reads the head and locks it until the end of the transaction, so that
    /// commits to one store follow each other.
    static func lockingSelection(_ store: UUID) -> Statement {
        Statement(
            "SELECT \(columns) FROM roost.heads WHERE store = $1::uuid FOR UPDATE", [Parameter(store)])
    }

    /// Returns the statement that checks whether a snapshot and its change feed are still readable.
    static func readability(_ store: UUID) -> Statement {
        Statement(
            "SELECT readable_from, horizon FROM roost.heads WHERE store = $1::uuid", [Parameter(store)])
    }

    private static let values = """
        $2::uuid, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int8, $9::int8, $10::int8,
        $11::int8, $12::int8, $13::int8, $14::bytea, $15::int8
        """

    /// Inserts the head of a new store; if the store exists, nothing changes.
    var insertion: Statement {
        Statement(
            """
            INSERT INTO roost.heads (store, \(Self.columns)) VALUES ($1::uuid, \(Self.values))
            ON CONFLICT DO NOTHING
            """, parameters)
    }

    var update: Statement {
        Statement(
            "UPDATE roost.heads SET (\(Self.columns)) = (\(Self.values)) WHERE store = $1::uuid", parameters)
    }

    private var parameters: [Parameter] {
        var bytes: [UInt8] = []
        func parameter(_ value: some ColumnValue) -> Parameter {
            value.write(to: &bytes)
            return Parameter(value)
        }
        let values =
            [parameter(epoch)] + [revision, horizon, readableFrom].map { parameter($0) }
            + [nextRow, nextPosition].map { parameter($0) }
            + [entryCount, clusterCount, vectorCount, dimension].map { parameter($0) }
            + [parameter(clustersRevision), parameter(Int64(clustersOrdinal)), parameter(runRecord)]
        let seed = Stored.checksumSeed(store)
        let checksum = bytes.withUnsafeBytes { CRC32C.checksum($0, after: seed) }
        return [Parameter(store)] + values + [Parameter(Int64(checksum))]
    }
}

/// The latest state of a store that a process had seen before a call. The head that the call receives must
/// belong to the same history and must not be older.
///
/// A database that was restored or failed over to an older state has a lower revision until other clients
/// write to it. After that, the commit with the revision that the process has seen has another batch. The
/// batches are compared, and not the identity of the server, because a failover that loses nothing needs no
/// action.
struct HeadCheck {
    let epoch: UUID?
    let revision: Revision
    let batch: UUID?

    /// The time for which an older head of a Citus cluster may be that of a commit in two phases: a node that
    /// failed between them completes it when `citus.recover_2pc_interval`, one minute, has passed.
    static let recoveryTime = Duration.seconds(90)

    func isNewer(than head: Head) -> Bool { epoch == head.epoch && revision > head.revision }

    /// - Parameter found: The batch of ``revision`` on the server; `nil` if there is no record.
    func check(_ head: Head, found: UUID?) throws {
        guard epoch == head.epoch else { return }
        guard !isNewer(than: head) else {
            throw Self.changed(
                "the server has revision \(head.revision) of the store, but this process has seen revision "
                    + "\(revision)")
        }
        // A compaction deletes the records of old commits, so a missing one proves nothing.
        guard let batch, let found, found != batch else { return }
        throw Self.changed(
            "revision \(revision) of the store on the server differs from the one that this process has seen")
    }

    private static func changed(_ fact: String) -> StorageError {
        StorageError(
            .damaged,
            "\(fact): the database was restored or failed over to an older state. Begin a new epoch, so that "
                + "all clients read the store again",
            remedy: .repairStore)
    }
}

/// Reads the change feed at the revision of a head.
///
/// The position of an entry's latest change is that of its row which is valid at the revision or, after a
/// removal, that of the removal. Removals are never updated, so the change feed of a revision is a condition
/// on revisions, like a snapshot.
struct ChangeReader {
    let head: Head

    func page(
        after cursor: ChangeCursor, limit: Int, _ connection: Connection, _ limits: CallLimits
    ) throws -> ChangePage {
        guard
            let cursor = cursor.resolved(
                epoch: head.epoch, revision: head.revision, horizon: head.horizon)
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
        return cursor.page(of: changes, limit: limit, revision: head.revision)
    }

    /// Returns the changes of entries; `nil` if removals after the cursor have been deleted.
    private func entryChanges(
        after cursor: ChangeCursor, limit: Int, _ connection: Connection, _ limits: CallLimits
    ) throws -> [Change]? {
        let parameters = [
            Parameter(head.store), Parameter(head.revision),
            Parameter(cursor.revision), Parameter(Int64(cursor.ordinal)),
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
