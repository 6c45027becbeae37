public import Foundation
import GRDB
import RoostFiles
public import RoostModel

/// Keeps a store in one SQLite database, in write-ahead mode: readers and a writer do not block each other,
/// from any number of processes on one machine.
///
/// A commit is durable when it returns (`synchronous=FULL`). Copies of a handle share their connections.
public struct SQLiteStorageProvider: StorageProvider {
    let pool: DatabasePool
    private let lockURL: URL
    private let lockTimeout: TimeInterval
    /// Removals are remembered this long for those who follow the changes.
    public static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600

    /// Opens a database, and creates or migrates it.
    ///
    /// - Parameters:
    ///   - databaseURL: its folder must exist.
    ///   - lockURL: the file that writers lock; beside the database unless it is given.
    ///   - lockTimeout: the most seconds to wait for another writer.
    /// - Throws: ``StorageError``: `.newerFormat`, `.damaged`, `.locked`, `.inputOutput`.
    public init(databaseURL: URL, lockURL: URL? = nil, lockTimeout: TimeInterval = 30) async throws {
        let lockURL = lockURL ?? databaseURL.appendingPathExtension("lock")
        self.lockURL = lockURL
        self.lockTimeout = lockTimeout
        pool = try await BlockingWork.run { isCancelled in
            try Self.translating(databaseURL.path) {
                let lock = try FileLock.acquire(lockURL, timeout: lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try Self.prepareFile(databaseURL)
                let pool = try DatabasePool(
                    path: databaseURL.path, configuration: Self.configuration(lockTimeout))
                if try pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) {
                    throw StorageError(
                        .newerFormat,
                        "\(databaseURL.path) was written by a newer version of Roost; update Roost to open it"
                    )
                }
                try Schema.migrator.migrate(pool)
                return pool
            }
        }
    }

    /// SQLite's version and whether it has the defect by which a checkpoint may lose a writer's pages
    /// (https://sqlite.org/wal.html#walresetbug; 3.7.0 to 3.51.2): Roost then checkpoints under its own
    /// lock only.
    public static var libraryVersion: String {
        (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "unknown"
    }

    private static func configuration(_ timeout: TimeInterval) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(timeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Checkpoints are made under the writers' lock (see `libraryVersion`).
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "PRAGMA cache_size = -16000")
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
            try database.execute(
                sql: "UPDATE meta SET value = ? WHERE key = 'epoch'", arguments: [UUID().uuidString])
            try database.execute(sql: "UPDATE meta SET value = value + 1 WHERE key = 'revision'")
            return try Self.stamp(database)
        }
    }

    public func close() async throws {
        try await BlockingWork.run { _ in
            try Self.translating(pool.path) {
                let lock = try FileLock.acquire(lockURL, timeout: lockTimeout)
                defer { lock.release() }
                // Where nobody else reads, the log is moved into the database and cut.
                _ = try? pool.writeWithoutTransaction { database in
                    try database.execute(sql: "PRAGMA busy_timeout = 0")
                    try database.checkpoint(.truncate)
                }
                try pool.close()
            }
        }
    }

    // MARK: -

    /// Runs a transaction under the writers' lock, and checkpoints there when the log has grown long.
    private func writing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws
        -> Value
    {
        try await BlockingWork.run { isCancelled in
            try Self.translating(pool.path) {
                let lock = try FileLock.acquire(lockURL, timeout: lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                if isCancelled() { throw CancellationError() }
                let value = try pool.write { try body($0) }
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
        Stamp(
            store: try Meta.uuid("store", database), epoch: try Meta.uuid("epoch", database),
            revision: try Meta.revision("revision", database),
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
            case .SQLITE_MISUSE: StorageError(.closed, "the store was closed", underlying: error)
            default: StorageError(.inputOutput, message, underlying: error)
            }
        default: return error
        }
    }
}

/// The store's own numbers.
enum Meta {
    static func uuid(_ key: String, _ database: Database) throws -> UUID {
        let text = try String.fetchOne(
            database, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
        guard let uuid = text.flatMap(UUID.init) else { throw Column.damaged("no \(key)") }
        return uuid
    }

    static func number(_ key: String, _ database: Database) throws -> Int64 {
        let sql = "SELECT value FROM meta WHERE key = ?"
        guard let value = try Int64.fetchOne(database, sql: sql, arguments: [key]) else {
            throw Column.damaged("no \(key)")
        }
        return value
    }

    static func revision(_ key: String, _ database: Database) throws -> Revision {
        Revision(rawValue: UInt64(try number(key, database)))
    }

    static func set(_ key: String, _ value: Int64, _ database: Database) throws {
        try database.execute(sql: "UPDATE meta SET value = ? WHERE key = ?", arguments: [value, key])
    }

    static func run(_ database: Database) throws -> ClusteringRun? {
        try Data.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'run'")
            .map { try Column.value(ClusteringRun.self, $0) }
    }
}
