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

    init(
        _ batch: WriteBatch, store: UUID, pool: ConnectionPool, lockTimeout: Duration, retryTimeout: Duration,
        partSize: Int, isCancelled: @escaping @Sendable () -> Bool, check: HeadCheck
    ) {
        (self.batch, self.store, self.pool) = (batch, store, pool)
        (self.lockTimeout, self.retryTimeout) = (lockTimeout, retryTimeout)
        (self.partSize, self.isCancelled, self.check) = (partSize, isCancelled, check)
    }

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
            throw ErrorMapping(name: pool.settings.displayName).unknownOutcome(error)
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
            if isOnlyCandidate, let error = error as? ConnectionError, error.excludesCommit {
                mayBeCommitted = false
            }
            if connection.isInTransaction { connection.rollBack(limits) }
            throw error
        }
    }

    private func write(
        _ writer: BatchWriter, _ connection: Connection, _ limits: CallLimits, _ mayBeCommitted: inout Bool
    ) throws -> Outcome {
        let vectorType = try pool.vectorType(connection, limits)
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
            statements = part.endings + part.rows.filled.flatMap { $0.insertions(vectorType: vectorType) }
        }
        var head = writer.head
        guard writer.hasChanges else {
            connection.rollBack(limits)
            return Outcome(revision: head.revision, head: head)
        }
        statements += [
            head.update,
            TableSQL.recordCommit(store: store, revision: Int64(head.revision.rawValue), batch: id),
            TableSQL.commit,
        ]
        mayBeCommitted = true
        _ = try connection.run(statements, limits.withoutCancellation)
        head.batch = id
        return Outcome(revision: head.revision, head: head, insertedRows: insertedRows)
    }
}
