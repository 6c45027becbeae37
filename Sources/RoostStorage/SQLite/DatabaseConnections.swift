import Foundation
import GRDB
import RoostFiles
import RoostModel
import Synchronization

/// The connections of a provider to its database: some that only read, and one that writes, which is opened
/// for the first commit.
///
/// Readers never take the writers' lock, not even to open the database, so a writer that is stopped while it
/// holds the lock does not block them. This is safe because they neither commit nor make checkpoints: the
/// bug of SQLite against which the lock protects needs two checkpoints and a commit
/// (`Documentation/Decisions/0017-readers-without-the-lock.md`).
final class DatabaseConnections: Sendable {
    let url: URL
    let lockURL: URL
    let options: SQLiteStorageProvider.Options
    let readers: DatabasePool
    let snapshots: SnapshotConnections
    /// The way in which a database that cannot be written is read; `nil` if it can be written.
    let readOnly: ReadOnlyDatabase?
    /// The identity of the file that was opened. It shows whether a repair or a restore has replaced the
    /// file.
    private let identity: FileIdentity?
    private let writer: Mutex<DatabasePool?>

    private init(
        _ url: URL, _ lockURL: URL, _ options: SQLiteStorageProvider.Options, readers: DatabasePool,
        writer: DatabasePool? = nil, readOnly: ReadOnlyDatabase? = nil
    ) {
        self.url = url
        self.lockURL = lockURL
        self.options = options
        self.readers = readers
        snapshots = SnapshotConnections(like: readers)
        self.readOnly = readOnly
        identity = FileIdentity(url)
        self.writer = Mutex(writer)
    }

    // MARK: Opening

    /// Opens a database. The writers' lock is taken only if the database must be created, or completed
    /// after an interrupted repair.
    static func open(
        _ url: URL, _ lockURL: URL, _ options: SQLiteStorageProvider.Options, _ isCancelled: () -> Bool
    ) throws -> DatabaseConnections {
        try PageChecksums.register()
        if let readOnly = try ReadOnlyDatabase.open(url, options) {
            return DatabaseConnections(url, lockURL, options, readers: readOnly.readers, readOnly: readOnly)
        }
        if let opened = try openWithoutLock(url, lockURL, options) { return opened }
        let lock = try FileLock.acquire(lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
        defer { lock.release() }
        let writer = try SQLiteStorageProvider.prepared(url, options)
        let readers = try DatabaseFile(url).openReaders(SQLiteStorageProvider.configuration(options))
        return DatabaseConnections(url, lockURL, options, readers: readers, writer: writer)
    }

    /// - Returns: `nil` if the database cannot be opened without the writers' lock.
    private static func openWithoutLock(
        _ url: URL, _ lockURL: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> DatabaseConnections? {
        let replacement = DatabaseReplacement(of: url)
        let identity = FileIdentity(url)
        guard try DatabaseFile(url).size() ?? 0 > 0, !replacement.isPending else { return nil }
        let opened: DatabasePool?
        do {
            opened = try openReaders(DatabaseFile(url), options)
        } catch let error as DatabaseError
            where [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_BUSY].contains(error.resultCode)
        {
            // A process that ended while it created the database leaves a journal that only a writer can
            // roll back.
            return nil
        }
        guard let readers = opened else { return nil }
        let connections = DatabaseConnections(url, lockURL, options, readers: readers)
        // If a repair replaced the database in the meantime, the connections belong to the old file.
        guard !replacement.isPending, connections.identity == identity, FileIdentity(url) == identity else {
            try? readers.close()
            return nil
        }
        return connections
    }

    /// - Returns: `nil` if the database has no tables yet.
    static func openReaders(
        _ file: DatabaseFile, _ options: SQLiteStorageProvider.Options
    ) throws -> DatabasePool? {
        let path = file.url.path
        let readers = try file.openReaders(SQLiteStorageProvider.configuration(options))
        do {
            let isComplete = try readers.read { database in
                guard try Schema.isComplete(database, path: path) else { return false }
                try SQLiteStorageProvider.checkPageChecksums(database)
                return true
            }
            if isComplete {
                try RevisionMark.check(path) { try readers.read { try Meta($0) } }
                return readers
            }
        } catch {
            try? readers.close()
            throw error
        }
        try readers.close()
        return nil
    }

    // MARK: Using

    func check() throws {
        try readOnly?.check()
        guard FileIdentity(url) == identity else {
            throw StorageError(
                .closed, "a repair or a restore replaced \(url.path) after it was opened",
                remedy: .reopenStore)
        }
    }

    /// Returns the connection that writes. The caller must hold the writers' lock.
    func openedWriter() throws -> DatabasePool {
        if let readOnly { throw readOnly.refusal }
        try check()
        if let pool = writer.withLock({ $0 }) { return pool }
        let pool = try SQLiteStorageProvider.prepared(url, options)
        do {
            // Preparing the database can complete an interrupted repair, which replaces the file.
            try check()
        } catch {
            try? pool.close()
            throw error
        }
        writer.withLock { $0 = pool }
        return pool
    }

    // MARK: Closing

    /// Closes the connections. If the database was opened for writing and no other process uses it, the
    /// write-ahead log is moved into it.
    func close() throws {
        defer { readOnly?.close() }
        snapshots.close()
        try readers.close()
        guard let pool = writer.withLock({ $0 }) else { return }
        let lock = options.movesLogOnClose ? try? FileLock.acquire(lockURL, timeout: 0) : nil
        defer { lock?.release() }
        if lock != nil {
            try? pool.writeWithoutTransaction { database in
                // If no other process is reading, this moves the log into the database and removes it.
                try WriteAheadLog.empty(database)
                try WriteAheadLog.enableCheckpointOnClose(database)
            }
        }
        try pool.close()
    }
}

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
