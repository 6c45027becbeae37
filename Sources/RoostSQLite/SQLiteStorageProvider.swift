import CRoostSQLite
public import Foundation
import GRDB
import RoostFiles
public import RoostModel

/// Keeps a store in one SQLite database, in write-ahead mode: readers and a writer do not block each other,
/// from any number of processes on one machine.
///
/// A commit is durable when it returns (`synchronous=FULL`). Copies of a handle share their connections.
public struct SQLiteStorageProvider: StorageProvider {
    /// How safe a commit is when it returns.
    public enum Durability: Sendable, Hashable {
        /// Synchronised with the disk (`synchronous=FULL`): it survives a loss of power.
        case full
        /// It survives the end of the process; a loss of power may take the commits since the last
        /// checkpoint, the newest first and whole ones only (`synchronous=NORMAL`).
        case normal
    }

    /// How to keep the database.
    public struct Options: Sendable {
        /// The file that writers lock; beside the database unless it is given.
        public var lockURL: URL?
        /// The most seconds to wait for another writer.
        public var lockTimeout: TimeInterval = 30
        public var durability = Durability.full
        /// The most bytes that the database may take; `nil` for no limit.
        public var maximumSize: Int?

        public init() {}
    }

    let pool: DatabasePool
    let options: Options
    let lockURL: URL
    private let writers = WriterQueue()
    /// The file that was opened: a repair puts another in its place.
    private let identity: FileIdentity?
    /// Removals are remembered this long for those who follow the changes.
    public static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600

    /// Opens a database, and creates or migrates it. Before one of an older format is migrated, a copy is
    /// kept beside it.
    ///
    /// - Parameter databaseURL: its folder must exist.
    /// - Throws: ``StorageError``: `.newerFormat`, `.damaged`, `.locked`, `.inputOutput`.
    public init(databaseURL: URL, options: Options = Options()) async throws {
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        self.lockURL = lockURL
        self.options = options
        let pool = try await BlockingWork.run { isCancelled in
            try Self.translating(databaseURL.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try Self.prepareFile(databaseURL)
                let pool = try DatabasePool(
                    path: databaseURL.path, configuration: Self.configuration(options))
                if try pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) {
                    throw StorageError(
                        .newerFormat,
                        "\(databaseURL.path) was written by a newer version of Roost; update Roost to open it"
                    )
                }
                let done = try pool.read { try Schema.migrator.appliedIdentifiers($0) }
                if !done.isEmpty, try pool.read({ try !Schema.migrator.hasCompletedMigrations($0) }) {
                    let copy = "\(databaseURL.path).before-format-\(done.count + 1)"
                    if !FileManager.default.fileExists(atPath: copy) { try Self.copy(pool, to: copy) }
                }
                try Schema.migrator.migrate(pool)
                try RevisionMark(of: databaseURL.path)?.check(
                    try pool.read { try Meta($0) }, databaseURL.path)
                return pool
            }
        }
        self.pool = pool
        identity = FileIdentity(databaseURL)
    }

    /// - Throws: ``StorageError`` with `.closed` where a repair has put another file in the database's place.
    private func checkIdentity() throws {
        guard FileIdentity(URL(fileURLWithPath: pool.path)) == identity else {
            throw StorageError(
                .closed,
                "\(pool.path) was replaced since it was opened, by a repair or a restore: open it again")
        }
    }

    /// SQLite's version and whether it has the defect by which a checkpoint may lose a writer's pages
    /// (https://sqlite.org/wal.html#walresetbug; 3.7.0 to 3.51.2): Roost then checkpoints under its own
    /// lock only.
    public static var libraryVersion: String {
        (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "unknown"
    }

    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(options.lockTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
            if let size = options.maximumSize {
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
            // Checkpoints are made under the writers' lock (see `libraryVersion`).
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "PRAGMA cache_size = -16000")
            guard roost_register_checksum(database.sqliteConnection) == SQLITE_OK else {
                throw DatabaseError(message: "the checksum function cannot be registered")
            }
        }
        return configuration
    }

    /// Creates the file itself, so that it is readable by its owner only, and refuses what is no database.
    private static func prepareFile(_ url: URL) throws {
        let file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
        let head = try file.read(at: 0, count: 16)
        guard head.isEmpty || head == Data("SQLite format 3\0".utf8) else {
            throw StorageError(.damaged, "\(url.path) is not an SQLite database")
        }
    }

    // MARK: StorageProvider

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        return try await writing { database in
            try BatchWriter(database).apply(batch, at: Date())
        }
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try Task.checkCancellation()
        return try await BlockingWork.run { _ in
            try Self.translating(pool.path) {
                try checkIdentity()
                let snapshot = try pool.makeSnapshot()
                return SQLiteSnapshot(database: snapshot, stamp: try snapshot.read { try Self.stamp($0) })
            }
        }
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        precondition(limit >= 1, "a page of \(limit) changes")
        do {
            return try await pool.read { try ChangeReader.page(after: cursor, limit: limit, $0) }
        } catch {
            throw Self.translated(error, pool.path)
        }
    }

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
        try await BlockingWork.run { _ in
            try Self.translating(pool.path) {
                // Where nobody else writes or reads, the log is moved into the database and cut.
                let lock = try? FileLock.acquire(lockURL, timeout: 0)
                defer { lock?.release() }
                if lock != nil {
                    _ = try? pool.writeWithoutTransaction { database in
                        try database.execute(sql: "PRAGMA busy_timeout = 0")
                        try database.checkpoint(.truncate)
                    }
                }
                try pool.close()
            }
        }
    }

    /// Gives back the space of what was removed, and moves the log into the database.
    ///
    /// - Throws: ``StorageError``; the store is as before then.
    public func compact() async throws {
        try await writers.run { try await compactAlone() }
    }

    private func compactAlone() async throws {
        try await BlockingWork.run { isCancelled in
            try Self.translating(pool.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try pool.vacuum()
                _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }
        }
    }

    /// Copies the store as it is now into a new file, while readers and writers go on (SQLite's online
    /// backup).
    ///
    /// - Throws: ``StorageError`` with `.inputOutput`, also where the file exists; nothing is left then.
    public func copy(to url: URL) async throws {
        try await BlockingWork.run { _ in
            try Self.translating(url.path) {
                guard !FileManager.default.fileExists(atPath: url.path) else {
                    throw FileError(operation: "copy to", path: url.path, errno: EEXIST)
                }
                try Self.copy(pool, to: url.path)
            }
        }
    }

    private static func copy(_ pool: DatabasePool, to path: String) throws {
        let temporary = path + ".\(getpid()).tmp"
        defer { unlink(temporary) }
        _ = try FileDescriptor(temporary, O_RDWR | O_CREAT | O_EXCL)
        let target = try DatabaseQueue(path: temporary)
        try pool.backup(to: target)
        try target.close()
        try FileDescriptor(temporary, O_RDONLY).synchronize()
        try FileSystem.standard.rename(temporary, to: path)
        try FileSystem.standard.synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent())
    }

    // MARK: -

    /// Runs a transaction under the writers' lock, and checkpoints there when the log has grown long.
    private func writing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws
        -> Value
    {
        try await writers.run { try await writingAlone(body) }
    }

    private func writingAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            try Self.translating(pool.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                if isCancelled() { throw CancellationError() }
                try checkIdentity()
                let (value, mark) = try pool.write { database in
                    let value = try body(database)
                    let meta = try Meta(database)
                    return (value, RevisionMark(epoch: meta.epoch, revision: meta.revision))
                }
                // With less durability the mark could survive what the log does not.
                if options.durability == .full { mark.write(of: pool.path) }
                let log = try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int
                if log ?? 0 > 8 << 20 {
                    // What cannot be moved now, because somebody reads it, is moved after a later commit.
                    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
                }
                return value
            }
        }
    }

    static func stamp(_ database: Database) throws -> Stamp {
        let meta = try Meta(database)
        return Stamp(
            store: meta.store, epoch: meta.epoch, revision: meta.revision,
            entryCount: try Int.fetchOne(database, sql: "SELECT count(*) FROM entries") ?? 0,
            clusterCount: try Int.fetchOne(database, sql: "SELECT count(*) FROM clusters") ?? 0)
    }

    static func translating<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw translated(error, path) }
    }

    static func translated(_ error: any Error, _ path: String) -> any Error {
        switch error {
        case let error as LockTimeout:
            return StorageError(
                .locked, "\(error); try again when it has finished", underlying: error, isRetryable: true)
        case let error as FileError:
            return StorageError(.inputOutput, error.description, underlying: error)
        case let error as DatabaseError:
            let message = "\(path): \(error.message ?? "SQLite error \(error.extendedResultCode.rawValue)")"
            return switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: StorageError(.damaged, message, underlying: error)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                StorageError(.locked, message, underlying: error, isRetryable: true)
            case .SQLITE_FULL:
                StorageError(
                    .full, "\(path): the disk, or the size that the store was given, is full",
                    underlying: error)
            case .SQLITE_MISUSE: StorageError(.closed, "the store was closed", underlying: error)
            default: StorageError(.inputOutput, message, underlying: error)
            }
        case is RowDecodingError:
            return StorageError(
                .damaged,
                "\(path) has a row that is not as it was written; `roost doctor` tells what can be "
                    + "recovered", underlying: error)
        default: return error
        }
    }
}
