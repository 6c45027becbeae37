import GRDB
import Synchronization

/// The connections that hold the read transactions of snapshots.
///
/// A connection that a snapshot no longer needs is kept for later snapshots: opening one takes longer than
/// most queries, and a used one has prepared statements and cached pages. SQLite discards cached pages that
/// another connection has changed.
final class SnapshotConnections: Sendable {
    /// The maximum number of connections that are kept. A server holds several snapshots for each request.
    private static let maximumIdleCount = 16
    /// The size of the page cache of a connection in KiB. Together, the kept connections use at most 64 MB.
    private static let cacheSize = 4_000
    /// The number of snapshots after which a connection is closed, because the statements that a connection
    /// has prepared are never removed.
    private static let maximumUses = 2_000

    private struct Idle {
        let queue: DatabaseQueue
        let uses: Int
    }

    private let path: String
    private let configuration: Configuration
    /// The connections without a transaction; `nil` after ``close()``.
    private let idle = Mutex<[Idle]?>([])

    /// Creates connections to the database of a pool; opens none.
    init(like pool: DatabasePool) {
        path = pool.path
        var configuration = pool.configuration
        configuration.readonly = true
        // The transaction of a snapshot is open between its calls.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(Self.cacheSize)")
        }
        self.configuration = configuration
    }

    /// Begins a read transaction. It ends when the returned object is released.
    func begin() throws -> Lease {
        if let found = idle.withLock({ $0?.popLast() }),
            let lease = try? begin(on: found.queue, uses: found.uses + 1)
        {
            return lease
        }
        // A connection that was used before may have failed for a reason that does not affect others.
        return try begin(on: DatabaseQueue(path: path, configuration: configuration), uses: 1)
    }

    private func begin(on queue: DatabaseQueue, uses: Int) throws -> Lease {
        do {
            try queue.unsafeRead { database in
                try database.beginTransaction(.deferred)
                // SQLite chooses the state that a transaction shows at its first read.
                try database.execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
            }
        } catch {
            try? queue.close()
            throw error
        }
        return Lease(queue: queue, uses: uses, owner: self)
    }

    /// Closes the connections that are not in use; the others are closed when their snapshots are released.
    func close() {
        let connections = idle.withLock { idle in
            defer { idle = nil }
            return idle ?? []
        }
        for connection in connections { try? connection.queue.close() }
    }

    private func keep(_ queue: DatabaseQueue, uses: Int) {
        let isKept = idle.withLock { idle in
            guard let count = idle?.count, count < Self.maximumIdleCount, uses < Self.maximumUses else {
                return false
            }
            idle?.append(Idle(queue: queue, uses: uses))
            return true
        }
        if !isKept { try? queue.close() }
    }

    final class Lease: Sendable {
        private let queue: DatabaseQueue
        private let uses: Int
        private let owner: SnapshotConnections

        fileprivate init(queue: DatabaseQueue, uses: Int, owner: SnapshotConnections) {
            (self.queue, self.uses, self.owner) = (queue, uses, owner)
        }

        deinit {
            // A connection whose transaction cannot be ended is not used again.
            let hasEnded = queue.unsafeReentrantRead { database in
                if database.isInsideTransaction { try? database.rollback() }
                return !database.isInsideTransaction
            }
            if hasEnded { owner.keep(queue, uses: uses) }
        }

        func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
            try queue.unsafeRead(body)
        }

        /// Runs a query in the transaction. SQLite stops it if the task is canceled.
        func read<Value: Sendable>(
            _ body: @escaping @Sendable (Database) throws -> Value
        ) async throws -> Value {
            try await queue.unsafeRead(body)
        }
    }
}
