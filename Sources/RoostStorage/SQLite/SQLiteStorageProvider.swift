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
        /// The formats that are read and written. Tests add a later one.
        var schema = Schema.current

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

    /// Opens a database; creates it if it does not exist, and migrates it if it has an older format.
    ///
    /// Before a migration, the database is copied to a file next to it, whose name ends with `before-format-`
    /// and the number of the next format. An interrupted repair is completed.
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
        return try await writing { database in
            var writer = try BatchWriter(database, format: options.schema.format)
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
        // Waiting in the queue lets writers that called earlier finish first.
        try await writers.run(isStoppable: false) {
            guard state.close() else { return }
            try await errors.runBlocking { _ in
                try connections.close()
            }
        }
    }

    /// Frees the space of removed data, and moves the write-ahead log into the database. Other writers wait
    /// until this is done.
    ///
    /// - Throws: `StorageError`; `CancellationError` if the task is canceled while rows are copied. In both
    ///   cases, the store is unchanged.
    public func compact() async throws {
        if let readOnly = connections.readOnly { throw readOnly.refusal }
        try await writers.run {
            try await errors.runBlocking { isCancelled in
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try checkOpen()
                let pool = try connections.openedWriter()
                try pool.vacuum(isCancelled: isCancelled)
                try? pool.writeWithoutTransaction { try WriteAheadLog.empty($0) }
            }
        }
    }

    // MARK: - Transactions

    /// Runs a transaction while holding the writers' lock, and makes a checkpoint if the log has become long.
    func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        if let readOnly = connections.readOnly { throw readOnly.refusal }
        return try await writers.run {
            try await errors.runBlocking { isCancelled in
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try checkOpen()
                return try writeLocked(body, isCancelled)
            }
        }
    }

    private func writeLocked<Value: Sendable>(
        _ body: (Database) throws -> Value, _ isCancelled: @Sendable () -> Bool
    ) throws -> Value {
        let pool = try connections.openedWriter()
        let (value, mark) = try pool.write { database in
            if isCancelled() { throw CancellationError() }
            let value = try body(database)
            // The transaction is committed next, so this is the last opportunity to cancel.
            if isCancelled() { throw CancellationError() }
            let meta = try Meta(database)
            return (value, RevisionMark(epoch: meta.epoch, revision: meta.revision))
        }
        // With normal durability, a power failure could preserve the mark but lose the commit.
        if options.durability == .full { mark.write(of: path) }
        if WriteAheadLog.size(ofDatabase: path) > WriteAheadLog.checkpointSize {
            // Pages that a reader is still using stay in the log until a later checkpoint.
            _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
        }
        return value
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
