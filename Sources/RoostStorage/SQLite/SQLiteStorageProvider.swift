import CRoostSQLite
public import Foundation
import GRDB
import RoostFiles
public import RoostModel
import Synchronization

/// A storage provider that stores entries in a single SQLite database.
///
/// The database is in write-ahead mode: readers and a writer do not block each other. Any number of processes
/// on one machine can use it at the same time. By default, a commit is durable when it returns. Copies of a
/// provider share their connections, so closing one copy closes them all.
public struct SQLiteStorageProvider: StorageProvider {
    /// The durability of a commit when it returns.
    public enum Durability: Sendable, Hashable {
        /// Commits survive a power failure (`PRAGMA synchronous = FULL`).
        case full
        /// Commits survive the end of the process. A power failure can lose commits made since the last
        /// checkpoint, starting with the newest, but never only a part of a commit (`PRAGMA synchronous =
        /// NORMAL`).
        case normal
    }

    /// Options for opening a database.
    public struct Options: Sendable {
        /// The file that writers lock. By default, it is a file next to the database with the extension
        /// `lock`.
        public var lockURL: URL?
        /// The maximum number of seconds to wait for another writer, 30 by default; `infinity` waits for
        /// weeks. After that, calls throw `.locked`.
        public var lockTimeout: TimeInterval = DatabaseFile.lockTimeout
        /// The durability of a commit when it returns.
        public var durability = Durability.full
        /// The maximum size of the database in bytes; `nil` for no limit. A commit that would exceed it
        /// throws `.full`.
        public var maximumSize: Int?
        /// Whether closing the provider moves the write-ahead log into the database. An inspection sets this
        /// to `false`, because it must not change any file.
        package var movesLogOnClose = true
        /// Whether the database is being filled, and is discarded after any failure. The caller makes it durable.
        package var isBeingFilled = false

        /// Creates the default options.
        public init() {}
    }

    let options: Options
    let lockURL: URL
    let connections: DatabaseConnections
    private let writers = TaskQueue()
    private let state = OpenState()

    /// Whether a provider and its copies, which share this object, have been closed.
    private final class OpenState: Sendable {
        private let value = Atomic(false)
        var isClosed: Bool { value.load(ordering: .acquiring) }
        /// - Returns: Whether the provider was open before the call.
        func close() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Opens a database; creates it if it does not exist. An interrupted repair is completed.
    ///
    /// - Parameters:
    ///   - databaseURL: The database file. Its folder must exist.
    ///   - options: Options for opening the database.
    /// - Throws: `StorageError`: `.newerFormat`, `.damaged`, `.locked`, `.full`, `.readOnly`, `.inputOutput`;
    ///   `CancellationError` if the task is canceled while it waits for another writer.
    public init(databaseURL: URL, options: Options = Options()) async throws {
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        self.lockURL = lockURL
        self.options = options
        connections = try await Self.errors(databaseURL.path, options).runBlocking { isCancelled in
            try DatabaseConnections.open(databaseURL, lockURL, options, isCancelled)
        }
    }

    /// - Parameter options: The options with the size limit, which determines why a database can be full.
    static func errors(_ path: String, _ options: Options = Options()) -> DatabaseErrorMapping {
        DatabaseErrorMapping(
            path: path, ifDamaged: .inspectStore,
            ifFull: options.maximumSize == nil ? .freeSpace : .compactOrRaiseSizeLimit)
    }

    var pool: DatabasePool { connections.readers }

    var path: String { connections.url.path }

    /// Whether the store can only be read, because its folder is on a read-only file system or the permission
    /// to write it is missing. Commits then throw `.readOnly`.
    public var isReadOnly: Bool { connections.readOnly != nil }

    var errors: DatabaseErrorMapping { Self.errors(path, options) }

    private func checkOpen() throws {
        guard !state.isClosed else { throw StorageError(.closed, "the store was closed") }
        try connections.check()
    }

    /// The version of the SQLite library that is in use, for example `3.40.1`.
    public static var libraryVersion: String {
        (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "unknown"
    }

    // MARK: StorageProvider

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        do {
            return try await apply(batch)
        } catch let error as StorageError
            where error.code == .full && batch.isRemoving && ReserveFile(of: connections.url).release()
        {
            return try await apply(batch)
        }
    }

    private func apply(_ batch: WriteBatch) async throws -> Revision {
        try await writing { database in
            var writer = try BatchWriter(database)
            return try writer.apply(batch, at: Date())
        }
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try Task.checkCancellation()
        return try await errors.runBlocking { _ in
            try checkOpen()
            let snapshot = try connections.snapshots.begin()
            let stamp = try snapshot.read { try Self.stamp($0) }
            return SQLiteSnapshot(database: snapshot, stamp: stamp, connections: connections)
        }
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        try Task.checkCancellation()
        return try await errors.runBlocking { _ in
            try checkOpen()
            let page = try pool.read { database in
                try Self.checkPageChecksums(database)
                return try ChangeReader.page(after: cursor, limit: limit, database)
            }
            try connections.readOnly?.check()
            return page
        }
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try await writing { database in
            var meta = try Meta(database)
            meta.epoch = UUID()
            meta.revision = meta.revision.next
            try meta.save(database)
            return try Self.stamp(database)
        }
    }

    public func close() async throws {
        // Waiting in the queue lets writers that called earlier finish first. A canceled task waits, too.
        try await Task {
            try await writers.run {
                guard state.close() else { return }
                try await errors.runBlocking { _ in try connections.close() }
            }
        }.value
    }

    /// Frees the space of removed data, and moves the write-ahead log into the database. Other writers wait
    /// until this is done.
    ///
    /// - Throws: `StorageError`; `CancellationError` if the task is canceled while rows are copied. In both
    ///   cases, the store is unchanged.
    public func compact() async throws {
        try await locked { pool, isCancelled in
            // A copy that failed, for example because the disk is full, also leaves pages in the log.
            defer { try? pool.writeWithoutTransaction { try WriteAheadLog.empty($0) } }
            try pool.vacuum(isCancelled: isCancelled)
        }
    }

    // MARK: - Transactions

    /// Runs a transaction while holding the writers' lock.
    func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await locked { pool, isCancelled in
            let size = options.isBeingFilled ? Self.fillingSize : WriteAheadLog.checkpointSize
            let (value, mark) = try pool.commit(checkpointSize: size) { database in
                if isCancelled() { throw CancellationError() }
                let value = try body(database)
                // The transaction is committed next, so this is the last opportunity to cancel.
                if isCancelled() { throw CancellationError() }
                let meta = try Meta(database)
                return (value, RevisionMark(epoch: meta.epoch, revision: meta.revision))
            }
            // With normal durability, a power failure could preserve the mark but lose the commit.
            if options.durability == .full { mark.write(of: path) }
            return value
        }
    }

    /// Calls `body` with the connection that writes, while holding the writers' lock.
    private func locked<Value: Sendable>(
        _ body: @escaping @Sendable (DatabasePool, _ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        if let readOnly = connections.readOnly { throw readOnly.refusal }
        return try await writers.run {
            try await errors.runBlocking { isCancelled in
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try checkOpen()
                return try body(try connections.openedWriter(), isCancelled)
            }
        }
    }

    static func stamp(_ database: Database) throws -> Stamp {
        try checkPageChecksums(database)
        let meta = try Meta(database)
        return Stamp(
            store: meta.store, epoch: meta.epoch, revision: meta.revision,
            entryCount: meta.entryCount,
            clusterCount: try Int.fetchOne(database, sql: "SELECT count(*) FROM clusters") ?? 0)
    }
}

extension SQLiteStorageProvider {
    /// Opens the database; creates it if it does not exist. The caller must hold the writers' lock.
    static func prepared(_ url: URL, _ options: Options) throws -> DatabasePool {
        try PageChecksums.register()
        try DatabaseReplacement(of: url).finish()
        try prepareFile(url)
        let pool = try openPool(url, options)
        do {
            try pool.read(checkPageChecksums)
            if try pool.read({ try Schema.isComplete($0, path: url.path) }) {
                try RevisionMark.check(url.path) { try pool.read { try Meta($0) } }
            } else {
                try Schema.create(in: pool, path: url.path)
            }
            ReserveFile(of: url).create()
            return pool
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// - Throws: `StorageError` with `.damaged` if the database lacks page checksums. Every database of Roost
    ///   has them, so the part of the header that declares them is damaged.
    static func checkPageChecksums(_ database: Database) throws {
        guard try PageChecksums.report(database).isChecksummed else {
            throw Column.damaged("a header that does not declare the checksums of its pages")
        }
    }

    static func openPool(_ url: URL, _ options: Options) throws -> DatabasePool {
        let pool = try DatabaseFile(url).openPool(
            configuration(options), durability: options.durability)
        if options.isBeingFilled {
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA cache_size = -\(fillingSize >> 10)")
                #if os(Linux)
                    // Elsewhere, `sync` may return before the files are on the disk.
                    try database.execute(sql: "PRAGMA synchronous = OFF")
                #endif
            }
        }
        if let size = options.maximumSize {
            // The limit is set after opening, because GRDB creates and drops a table while it opens a
            // database without a log. A database that has reached its limit must open, to remove entries.
            try pool.writeWithoutTransaction { database in
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
        }
        return pool
    }

    /// The sizes in bytes of the cache and of the write-ahead log with which a database is filled. The cache holds the
    /// pages of a batch and all of the indexes, of which each batch changes most pages.
    private static let fillingSize = 32 << 20
    /// The maximum number of connections that read. Each has its own cache, and more of them would rarely run
    /// in parallel on a personal computer.
    private static let maximumReaderCount = 8
    /// The size of the page cache of a writing or reading connection in KiB. It can hold the inner pages of
    /// the indexes of a large store.
    private static let cacheSize = 16_000

    /// - Parameter verification: The effect of a page whose checksum does not match. With `.off`, a truncated
    ///   file can be read, too.
    static func configuration(
        _ options: Options, verifyingPages verification: PageChecksums.Verification = .fail
    ) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(options.lockTimeout.asTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = maximumReaderCount
        configuration.prepareDatabase { database in
            // Otherwise, SQLite reads nothing from a file that is shorter than its header states.
            if verification == .off { try database.execute(sql: "PRAGMA writable_schema = ON") }
            try PageChecksums.setVerification(verification, database)
            // A negative value is a size in KiB; a positive value is a number of pages.
            try database.execute(sql: "PRAGMA cache_size = -\(cacheSize)")
            try WriteAheadLog.disableImplicitCheckpoints(database)
            database.add(function: FilterSQL.hasKey)
            guard roost_register_checksum(database.sqliteConnection) == SQLITE_OK,
                roost_register_compare(database.sqliteConnection) == SQLITE_OK
            else { throw DatabaseError(message: "cannot register Roost's SQL functions") }
        }
        return configuration
    }

    /// - Throws: `StorageError` with `.damaged` if the file is missing or empty although its companion files
    ///   show that it had content. SQLite would treat such a database as new, and delete the log.
    private static func prepareFile(_ url: URL) throws {
        let file = DatabaseFile(url)
        // A process that ended while it created the database left a journal, with which SQLite makes the file
        // empty again.
        if FileManager.default.fileExists(atPath: url.path + "-journal") { try file.rollBack() }
        guard try file.size() ?? 0 == 0 else { return }
        guard WriteAheadLog.size(ofDatabase: url.path) == 0, RevisionMark(of: url.path) == nil else {
            throw StorageError(
                .damaged,
                "cannot open \(url.path): the file is missing or empty, although data was written to it. "
                    + "Restore a copy of it, or move the files next to it away to start an empty store",
                remedy: .restoreBackup)
        }
        try file.create()
        try PageChecksums.create(url)
    }
}
