import Foundation
import RoostModel

/// Commits one batch: a transaction that is repeated if the connection breaks or the server ends it.
///
/// Every attempt has the same batch id, which the transaction records. An attempt after one whose outcome is
/// unknown first locks the head of the store, for which it waits until the earlier transaction has ended, and
/// then looks up the batch id. So a batch is never committed twice.
struct CommitTransaction {
    let batch: WriteBatch
    let store: UUID
    let pool: ConnectionPool
    let lockTimeout: Duration
    let retryTimeout: Duration
    let partSize: Int
    let isCancelled: @Sendable () -> Bool
    /// Detects a server with an older state than the provider has seen.
    let check: HeadCheck

    private let id = UUID()

    struct Outcome {
        let revision: Revision
        /// The head after the commit. It can be that of a later commit if the response was lost.
        let head: Head
        var insertedRows = 0
    }

    /// Runs the transaction. The commit point is the moment at which the last statements are sent.
    func run() throws -> Outcome {
        var mayBeCommitted = false
        let retries = TemporaryFailures(for: retryTimeout)
        do {
            let isStopped = { !mayBeCommitted && isCancelled() }
            return try retries.repeating(isCancelled: isStopped) {
                var limits = CallLimits(lockTimeout, isCancelled: isCancelled)
                if mayBeCommitted { limits = limits.withoutCancellation }
                return try pool.withConnection(limits) { connection in
                    try attempt(connection, limits, &mayBeCommitted)
                }
            }
        } catch let error as ConnectionError where mayBeCommitted {
            throw pool.errors.unknownOutcome(error)
        }
    }

    private func attempt(
        _ connection: Connection, _ limits: CallLimits, _ mayBeCommitted: inout Bool
    ) throws -> Outcome {
        // Whether no earlier attempt can have committed. Only then does an error of this attempt exclude a
        // commit.
        var isOnlyCandidate = !mayBeCommitted
        do {
            let reading = try BatchReading(
                batch, store: store, repeating: mayBeCommitted ? id : nil, seen: check.revision, connection,
                limits)
            try check.check(reading.head, found: reading.seenBatch)
            if let revision = reading.committed {
                connection.rollBack(limits)
                return Outcome(revision: revision, head: reading.head)
            }
            // The lock on the head proves that no earlier attempt is in progress.
            (mayBeCommitted, isOnlyCandidate) = (false, true)
            // Writing a large batch takes longer than waiting for a lock may take.
            let writing = CallLimits(CallLimits.callTimeout, isCancelled: limits.isCancelled)
            let writer = try BatchWriter(batch, reading, at: Date(), partSize: partSize)
            return try write(writer, connection, writing, &mayBeCommitted)
        } catch {
            // A transaction that is still open after an error was aborted before its commit.
            if isOnlyCandidate, let error = error as? ConnectionError,
                error.excludesCommit || connection.isInTransaction
            {
                mayBeCommitted = false
            }
            if connection.isInTransaction { connection.rollBack(limits) }
            throw error
        }
    }

    private func write(
        _ writer: BatchWriter, _ connection: Connection, _ limits: CallLimits, _ mayBeCommitted: inout Bool
    ) throws -> Outcome {
        let features = try pool.features(connection, limits)
        var writer = writer
        var insertedRows = 0
        // The statements of the last part are sent together with the commit.
        var statements: [Statement] = []
        var isLast = false
        while !isLast {
            if !statements.isEmpty { _ = try connection.run(statements, limits) }
            try limits.check()
            let part = try writer.nextPart()
            isLast = part.isLast
            insertedRows += part.rows.filled.reduce(0) { $0 + $1.count }
            statements = part.endings + part.rows.filled.flatMap { $0.insertions(features) }
        }
        var head = writer.head
        guard writer.hasChanges else {
            connection.rollBack(limits)
            return Outcome(revision: head.revision, head: head)
        }
        // The record lets a repetition after a lost response recognize the commit.
        let record = Statement(
            "INSERT INTO roost.commits (store, revision, batch) VALUES ($1::uuid, $2::int8, $3::uuid)",
            [Parameter(store), Parameter(head.revision), Parameter(id)])
        statements += [head.update, record, TableSQL.commit]
        mayBeCommitted = true
        _ = try connection.run(statements, limits.withoutCancellation)
        head.batch = id
        return Outcome(revision: head.revision, head: head, insertedRows: insertedRows)
    }
}

/// The steps are those of the in-memory reference store. Only assignments of entries that the batch refers to
/// are known, unless the batch has a clustering.
struct ClusterChanges {
    private let before: BatchReading
    private let isStored: @Sendable (Entry.ID) -> Bool
    private(set) var run: ClusteringRun?
    private(set) var order: [Cluster.ID]
    private(set) var records: [Cluster.ID: Cluster]
    private(set) var assignments: [Entry.ID: Assignment]
    private let originalRecords: [Cluster.ID: Cluster]
    private let originalAssignments: [Entry.ID: Assignment]
    private(set) var hasChanges = false
    /// Whether the batch replaced all clusters, so all of them get new positions.
    private(set) var isReplaced = false

    /// Creates the state after the entries of a batch have been removed.
    init(
        _ before: BatchReading, removals: Set<Entry.ID>, isStored: @escaping @Sendable (Entry.ID) -> Bool
    ) throws {
        self.before = before
        self.isStored = isStored
        run = try before.head.run()
        order = before.clusters.map(\.cluster.id)
        records = Dictionary(before.clusters.map { ($0.cluster.id, $0.cluster) }) { first, _ in first }
        originalRecords = records
        assignments = [:]
        for assignment in before.assignments where !removals.contains(assignment.entry) {
            assignments[assignment.entry] = assignment
        }
        originalAssignments = assignments
    }

    /// - Throws: `StorageError` with `.invalidBatch` if an assignment names a cluster that does not exist.
    mutating func apply(_ batch: WriteBatch) throws {
        try check(batch)
        if let clustering = batch.clustering { replace(with: clustering) }
        for var cluster in batch.clusters {
            cluster.members = []
            guard records[cluster.id] != cluster else { continue }
            if records.updateValue(cluster, forKey: cluster.id) == nil { order.append(cluster.id) }
            hasChanges = true
        }
        for id in batch.unassignments where assignments.removeValue(forKey: id) != nil { hasChanges = true }
        for assignment in batch.assignments where isStored(assignment.entry) {
            guard assignments[assignment.entry] != assignment else { continue }
            assignments[assignment.entry] = assignment
            hasChanges = true
        }
    }

    private func check(_ batch: WriteBatch) throws {
        let clustering = batch.clustering.map { Set($0.clusters.map(\.id)) }
        let new = Set(batch.clusters.map(\.id))
        for assignment in batch.assignments where isStored(assignment.entry) {
            guard let cluster = assignment.cluster, !new.contains(cluster) else { continue }
            guard clustering?.contains(cluster) ?? (records[cluster] != nil) else {
                throw StorageError.invalid(
                    "invalid batch: an assignment names cluster \(cluster), which is not in the store")
            }
        }
        for assignment in batch.clustering?.assignments ?? [] {
            if let cluster = assignment.cluster, clustering?.contains(cluster) == false {
                throw StorageError.invalid(
                    "invalid batch: an assignment names cluster \(cluster), which the clustering lacks")
            }
        }
    }

    private mutating func replace(with clustering: WriteBatch.Clustering) {
        var newRecords: [Cluster.ID: Cluster] = [:]
        for var cluster in clustering.clusters {
            cluster.members = []
            newRecords[cluster.id] = cluster
        }
        var newAssignments: [Entry.ID: Assignment] = [:]
        for assignment in clustering.assignments where isStored(assignment.entry) {
            newAssignments[assignment.entry] = assignment
        }
        let newOrder = clustering.clusters.map(\.id)
        guard
            run != clustering.run || order != newOrder || records != newRecords
                || assignments != newAssignments
        else { return }
        (run, order, records, assignments) = (clustering.run, newOrder, newRecords, newAssignments)
        (hasChanges, isReplaced) = (true, true)
    }

    // MARK: Differences

    var endedPositions: [Int64] {
        before.clusters.filter { isReplaced || records[$0.cluster.id] != $0.cluster }.map(\.position)
    }

    /// The clusters to write, in their order; the position is `nil` for a new cluster.
    var writtenClusters: [(cluster: Cluster, position: Int64?)] {
        let positions = Dictionary(before.clusters.map { ($0.cluster.id, $0.position) }) { first, _ in first }
        return order.compactMap { id in
            guard let cluster = records[id], isReplaced || originalRecords[id] != cluster else { return nil }
            return (cluster, isReplaced ? nil : positions[id])
        }
    }

    var endedAssignments: [Entry.ID] {
        originalAssignments.values.filter { assignments[$0.entry] != $0 }.map(\.entry)
    }

    var writtenAssignments: [Assignment] {
        assignments.values.filter { originalAssignments[$0.entry] != $0 }
    }
}

struct Compaction {
    let store: UUID
    let lifetime: TimeInterval

    /// The number of seconds for which the record of a commit is kept, in which a client whose response was
    /// lost recognizes its batch: one day.
    private static let commitLifetime: TimeInterval = 24 * 3600

    /// Creates a compaction that deletes the rows of snapshots that are older than a number of seconds. The
    /// server's intervals are limited, so a time of more than a century, and `NaN`, count as a century.
    init(store: UUID, keeping lifetime: TimeInterval) {
        let century: TimeInterval = 100 * 365 * 86_400
        self.store = store
        self.lifetime = lifetime < century ? max(0, lifetime) : century
    }

    /// Raises the first readable revision in one transaction, and then deletes rows. A snapshot that reads
    /// while rows are deleted finds that it is no longer readable.
    func run(_ connection: Connection, _ limits: CallLimits) throws {
        let forgotten = Date().addingTimeInterval(-ChangeFeed.tombstoneLifetime)
        let superseded = Statement(
            """
            SELECT max(revision) FROM roost.commits
            WHERE store = $1::uuid AND committed < now() - $2::float8 * interval '1 second'
            """, [Parameter(store), Parameter(lifetime)])
        let lastRemoval = Statement(
            "SELECT max(revision) FROM roost.removals WHERE store = $1::uuid AND removed < $2::int8",
            [Parameter(store), Parameter(forgotten.milliseconds)])
        let results = try connection.run(
            [TableSQL.begin, Head.lockingSelection(store), superseded, lastRemoval], limits)
        guard let row = results[1].rows.first else {
            connection.rollBack(limits)
            throw BatchReading.missing
        }
        var head = try Head(row, store: store)
        if let superseded = results[2].rows.first, !superseded.isNull(0) {
            head.readableFrom = max(head.readableFrom, try superseded.revision(0))
        }
        if let removal = results[3].rows.first, !removal.isNull(0) {
            head.horizon = max(head.horizon, try removal.revision(0))
        }
        try limits.check()
        _ = try connection.run([head.update, TableSQL.commit], limits.withoutCancellation)
        try delete(head, connection, limits)
    }

    private func delete(_ head: Head, _ connection: Connection, _ limits: CallLimits) throws {
        // Deleting the rows of a large store takes longer than waiting for a lock may take.
        let limits = CallLimits(CallLimits.callTimeout, isCancelled: limits.isCancelled)
        for table in Table.versioned {
            let deletion = Statement(
                "DELETE FROM roost.\(table.name) WHERE store = $1::uuid AND removed_revision <= $2::int8",
                [Parameter(store), Parameter(head.readableFrom)])
            _ = try connection.run(deletion, limits)
        }
        let removals = Statement(
            "DELETE FROM roost.removals WHERE store = $1::uuid AND revision <= $2::int8",
            [Parameter(store), Parameter(head.horizon)])
        let commits = Statement(
            """
            DELETE FROM roost.commits WHERE store = $1::uuid AND revision < $2::int8
                AND committed < now() - $3::float8 * interval '1 second'
            """, [Parameter(store), Parameter(head.readableFrom), Parameter(Self.commitLifetime)])
        _ = try connection.run([removals, commits], limits)
    }
}
