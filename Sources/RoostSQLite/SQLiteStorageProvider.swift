import CRoostSQLite
public import Foundation
import GRDB
import RoostFiles
public import RoostModel
import Synchronization

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
        /// Whether a close moves the log into the database: not where a store is only looked at.
        package var movesLogAtClose = true

        public init() {}
    }

    let pool: DatabasePool
    let options: Options
    let lockURL: URL
    private let writers = WriterQueue()
    private let closing = Closing()
    /// The file that was opened: a repair puts another in its place.
    private let identity: FileIdentity?
    /// Removals are remembered this long for those who follow the changes.
    public static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600

    /// Whether a handle and its copies have been closed.
    private final class Closing: Sendable {
        private let isDone = Atomic(false)
        var isClosed: Bool { isDone.load(ordering: .acquiring) }
        /// - Returns: whether it was open.
        func close() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// Opens a database, and creates or migrates it. Before one of an older format is migrated, a copy is
    /// kept beside it. A repair that was interrupted is finished.
    ///
    /// - Parameter databaseURL: its folder must exist.
    /// - Throws: ``StorageError``: `.newerFormat`, `.damaged`, `.locked`, `.full`, `.inputOutput`;
    ///   `CancellationError` while it waits for another writer.
    public init(databaseURL: URL, options: Options = Options()) async throws {
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        self.lockURL = lockURL
        self.options = options
        (pool, identity) = try await BlockingWork.run { isCancelled in
            try Self.translating(databaseURL.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                return (try Self.prepared(databaseURL, options), FileIdentity(databaseURL))
            }
        }
    }

    /// - Throws: ``StorageError`` with `.closed` after ``close()``, or where a repair or a restore has put
    ///   another file in the database's place.
    private func checkOpen() throws {
        guard !closing.isClosed else { throw StorageError(.closed, "the store was closed") }
        guard FileIdentity(URL(fileURLWithPath: pool.path)) == identity else {
            throw StorageError(
                .closed,
                "\(pool.path) was replaced since it was opened, by a repair or a restore: open it again")
        }
    }

    /// SQLite's version. Versions 3.7.0 to 3.51.2 have a defect by which a checkpoint may lose a writer's
    /// pages (https://sqlite.org/wal.html#walresetbug): with any version, Roost makes checkpoints under its
    /// own lock only.
    public static var libraryVersion: String {
        (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "unknown"
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
                try checkOpen()
                let snapshot = try pool.makeSnapshot()
                return SQLiteSnapshot(database: snapshot, stamp: try snapshot.read { try Self.stamp($0) })
            }
        }
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        precondition(limit >= 1, "a page of \(limit) changes")
        try Task.checkCancellation()
        return try await BlockingWork.run { _ in
            try Self.translating(pool.path) {
                try checkOpen()
                return try pool.read { try ChangeReader.page(after: cursor, limit: limit, $0) }
            }
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
        // Writers that came before have their turn before.
        try await writers.run(isStoppable: false) {
            guard closing.close() else { return }
            try await BlockingWork.run { _ in
                try Self.translating(pool.path) {
                    let lock = options.movesLogAtClose ? try? FileLock.acquire(lockURL, timeout: 0) : nil
                    defer { lock?.release() }
                    if lock != nil {
                        try? pool.writeWithoutTransaction { database in
                            // Where nobody else reads, the log is moved into the database, and goes.
                            try Self.emptyLog(database)
                            _ = roost_keep_log_on_close(database.sqliteConnection, 0)
                        }
                    }
                    try pool.close()
                }
            }
        }
    }

    /// Gives back the space of what was removed, and moves the log into the database. Other writers wait.
    ///
    /// - Throws: ``StorageError``; the store is as before then.
    public func compact() async throws {
        try await writers.run {
            try await BlockingWork.run { isCancelled in
                try Self.translating(pool.path) {
                    let lock = try FileLock.acquire(
                        lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                    defer { lock.release() }
                    try checkOpen()
                    try pool.vacuum()
                    try? pool.writeWithoutTransaction { try Self.emptyLog($0) }
                }
            }
        }
    }

    /// Moves the log into the database and cuts it, where nobody reads: a reader is not waited for.
    private static func emptyLog(_ database: Database) throws {
        let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
        try database.checkpoint(.truncate)
    }

    // MARK: -

    /// Runs a transaction under the writers' lock, and checkpoints there when the log has grown long.
    private func writing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws
        -> Value
    {
        try await writers.run {
            try await BlockingWork.run { try writeNow(body, $0) }
        }
    }

    private func writeNow<Value: Sendable>(
        _ body: (Database) throws -> Value, _ isCancelled: @Sendable () -> Bool
    ) throws -> Value {
        try Self.translating(pool.path) {
            let lock = try FileLock.acquire(
                lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
            defer { lock.release() }
            try checkOpen()
            let (value, mark) = try pool.write { database in
                if isCancelled() { throw CancellationError() }
                let value = try body(database)
                // The commit point follows.
                if isCancelled() { throw CancellationError() }
                let meta = try Meta(database)
                return (value, RevisionMark(epoch: meta.epoch, revision: meta.revision))
            }
            // With less durability the mark could survive what the log does not.
            if options.durability == .full { mark.write(of: pool.path) }
            let log = try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int
            if log ?? 0 > Self.longLog {
                // What cannot be moved now, because somebody reads it, is moved after a later commit.
                _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
            }
            return value
        }
    }

    static func stamp(_ database: Database) throws -> Stamp {
        let meta = try Meta(database)
        return Stamp(
            store: meta.store, epoch: meta.epoch, revision: meta.revision,
            entryCount: try meta.countEntries(database),
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
            case .SQLITE_NOTADB:
                StorageError(.damaged, "\(path) is not an SQLite database", underlying: error)
            case .SQLITE_CORRUPT: StorageError(.damaged, message, underlying: error)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                StorageError(.locked, message, underlying: error, isRetryable: true)
            case .SQLITE_FULL:
                StorageError(
                    .full,
                    "\(path): the disk is full, or the store has reached the limit that `roost compact "
                        + "--max-size SIZE` raises",
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
