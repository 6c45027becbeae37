import Foundation
import RoostFiles
import RoostModel

/// The state of a store as a whole. The table `heads` has one row per store, which every commit locks and
/// updates.
struct Head: Sendable {
    let store: UUID
    var epoch: UUID
    var revision: Revision
    /// The revision up to which removals have been forgotten.
    var horizon: Revision
    /// The first revision whose snapshot is complete. The rows that earlier snapshots need may be deleted.
    var readableFrom: Revision
    var nextRow: Int64
    var nextPosition: Int64
    var entryCount: Int
    var clusterCount: Int
    var vectorCount: Int
    /// The dimension of the vectors; 0 if there are none.
    var dimension: Int
    var clustersRevision: Revision
    var clustersOrdinal: UInt32
    /// The clustering run that created the clusters, encoded as JSON.
    var runRecord: [UInt8]?
    /// The id of the batch of the revision; `nil` if it was not read.
    var batch: UUID?

    init(store: UUID, epoch: UUID) {
        (self.store, self.epoch) = (store, epoch)
        (revision, horizon, readableFrom, clustersRevision) = (.zero, .zero, .zero, .zero)
        (nextRow, nextPosition) = (0, 0)
        (entryCount, clusterCount, vectorCount, dimension) = (0, 0, 0, 0)
        clustersOrdinal = 0
    }

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
            """, [Parameter(store), Parameter(Int64(seen.rawValue))])
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

    /// Inserts the head of a new store; if the store exists, nothing changes.
    var insertion: Statement {
        Statement(
            """
            INSERT INTO roost.heads (store, \(Self.columns)) VALUES (
                $1::uuid, $2::uuid, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int8, $9::int8,
                $10::int8, $11::int8, $12::int8, $13::int8, $14::bytea, $15::int8)
            ON CONFLICT DO NOTHING
            """, parameters)
    }

    var update: Statement {
        Statement(
            """
            UPDATE roost.heads SET (\(Self.columns)) = (
                $2::uuid, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int8, $9::int8, $10::int8,
                $11::int8, $12::int8, $13::int8, $14::bytea, $15::int8)
            WHERE store = $1::uuid
            """, parameters)
    }

    private var parameters: [Parameter] {
        var values = [Parameter(epoch)]
        values += [revision, horizon, readableFrom].map { Parameter(Int64($0.rawValue)) }
        values += [Parameter(nextRow), Parameter(nextPosition)]
        values += [entryCount, clusterCount, vectorCount, dimension].map { Parameter($0) }
        values += [Parameter(Int64(clustersRevision.rawValue)), Parameter(Int64(clustersOrdinal))]
        values.append(Parameter(runRecord))
        var bytes: [UInt8] = []
        for value in values {
            bytes.append(bigEndian: Int32(value.bytes?.count ?? -1))
            bytes += value.bytes ?? []
        }
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

    /// - Parameter found: The batch of ``revision`` on the server; `nil` if there is no record.
    func check(_ head: Head, found: UUID?) throws {
        guard epoch == head.epoch else { return }
        guard revision <= head.revision else {
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
