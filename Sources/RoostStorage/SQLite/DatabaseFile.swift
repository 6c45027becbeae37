import CRoostSQLite
package import Foundation
package import GRDB
import RoostFiles
package import RoostModel

/// Only SQLite opens an existing database file; Roost never opens one with a `FileDescriptor`. A process that
/// closes any descriptor of a file loses all its POSIX (`fcntl`) locks on that file, including those of
/// SQLite's other connections. Another process would then assume that it is the only user, and would remove
/// the write-ahead log while the first process is still using it.
package struct DatabaseFile: Sendable {
    package let url: URL
    /// Whether connections that read treat the file as immutable (``PageChecksums/immutablePath(_:)``).
    package let isImmutable: Bool

    package init(_ url: URL, isImmutable: Bool = false) {
        self.url = url
        self.isImmutable = isImmutable
    }

    /// The number of seconds to wait for another connection or process, unless the user chooses a different
    /// number. A single commit or checkpoint takes much less time, even on a slow disk.
    package static let lockTimeout: TimeInterval = 30

    /// Returns the size of the file in bytes without opening the file; `nil` if it does not exist.
    package func size() throws -> Int? {
        var status = stat()
        guard stat(url.path, &status) != 0 else { return Int(status.st_size) }
        let error = FileError(operation: "read the size of", path: url.path, errno: errno)
        guard error.isMissing else { throw error }
        return nil
    }

    /// Creates an empty file with mode 0600 if the file does not exist. SQLite gives the write-ahead log the
    /// permissions of the database, so other users can read neither of the two.
    package func create() throws {
        do {
            _ = try FileDescriptor(url.path, O_RDWR | O_CREAT | O_EXCL)
        } catch let error as FileError where error.errno == EEXIST {
            return
        }
    }

    package func openPool(
        _ configuration: Configuration, durability: SQLiteStorageProvider.Durability = .full
    ) throws -> DatabasePool {
        try PageChecksums.register()
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // GRDB switches to write-ahead mode and sets `synchronous` to NORMAL after it has applied the
        // configuration, so the setting is made here.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        }
        return pool
    }

    /// Opens connections that only read, for concurrent transactions. They do not change the database or its
    /// log.
    package func openReaders(_ configuration: Configuration) throws -> DatabasePool {
        try PageChecksums.register()
        var configuration = configuration
        configuration.readonly = true
        return try DatabasePool(path: readingPath, configuration: configuration)
    }

    private var readingPath: String { isImmutable ? PageChecksums.immutablePath(url) : url.path }

    /// Opens a separate read-only connection, which does not change the write-ahead log.
    package func openReadOnly(_ configuration: Configuration) throws -> DatabaseQueue {
        try PageChecksums.register()
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: readingPath, configuration: configuration)
    }
}

extension DatabasePool {
    /// Returns the `PRAGMA synchronous` value of the connection that commits: 2 for `FULL`, 1 for `NORMAL`.
    package func synchronousSetting() throws -> Int? {
        try writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }
}

extension DatabaseMigrator {
    /// Checks that this version of the program knows every migration that has been applied to a database.
    package func check(applied: Set<String>, path: String) throws {
        guard applied.isSubset(of: Set(migrations)) else {
            throw StorageError(
                .newerFormat, "cannot open \(path): a newer version of Roost wrote it", remedy: .upgradeRoost)
        }
    }
}

package enum SQLiteMemory {
    /// Turns off SQLite's count of its memory, whose lock all threads share. This must be called before the
    /// first use of SQLite; later calls have no effect. Libraries must not call it, because the program may
    /// use the count.
    package static func disableStatistics() { _ = roost_disable_memory_statistics() }
}

extension Database {
    /// The number of instructions of SQLite's virtual machine between two checks: a few milliseconds of work.
    private static var instructionsPerCheck: Int32 { 20_000 }

    /// Runs `body`, and lets SQLite end its statements when the task is canceled.
    func withCancellation<Value>(
        checking isCancelled: () -> Bool, _ body: () throws -> Value
    ) throws -> Value {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            let check = CancellationCheck(isCancelled: isCancelled)
            sqlite3_progress_handler(
                sqliteConnection, Self.instructionsPerCheck,
                { context in
                    guard let context else { return 0 }
                    let check = Unmanaged<CancellationCheck>.fromOpaque(context).takeUnretainedValue()
                    return check.isCancelled() ? 1 : 0
                }, Unmanaged.passUnretained(check).toOpaque())
            defer {
                sqlite3_progress_handler(sqliteConnection, 0, nil, nil)
                withExtendedLifetime(check) {}
            }
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                throw CancellationError()
            }
        }
    }

    private final class CancellationCheck {
        let isCancelled: () -> Bool

        init(isCancelled: @escaping () -> Bool) {
            self.isCancelled = isCancelled
        }
    }
}

extension DatabasePool {
    /// Frees the space of removed rows by copying all rows. Other writers wait until this is done.
    ///
    /// - Parameter isCancelled: Whether to stop. It is called while rows are copied, but no longer while the
    ///   copy replaces the database.
    /// - Throws: `CancellationError`; `DatabaseError`. In both cases, the database is unchanged.
    func vacuum(isCancelled: () -> Bool) throws {
        try writeWithoutTransaction { database in
            try database.withCancellation(checking: isCancelled) { try database.execute(sql: "VACUUM") }
        }
    }
}

/// The write-ahead log of a database. A checkpoint moves the pages in the log into the database file.
///
/// SQLite 3.7.0 to 3.51.2 has a bug that can make a checkpoint lose pages written by another connection
/// (https://sqlite.org/wal.html#walresetbug). Therefore checkpoints are never automatic: the caller makes
/// them while holding the writers' lock.
package enum WriteAheadLog {
    /// The size of the log in bytes above which a commit is followed by a checkpoint. With a much larger
    /// value, reads from the log would be slower; with a much smaller one, every few commits would cause a
    /// synchronized write to the database.
    package static let checkpointSize = 8 << 20

    /// Prevents checkpoints that are made without the writers' lock: automatic ones, and the one that SQLite
    /// makes when the last connection is closed.
    package static func disableImplicitCheckpoints(_ database: Database) throws {
        try disableAutomaticCheckpoints(database)
        try setKeepsLog(true, database)
    }

    /// Prevents checkpoints after commits, and lets the first commit after a checkpoint shorten the log.
    /// Without that, the file would keep its size, and every further commit would be followed by a
    /// checkpoint.
    package static func disableAutomaticCheckpoints(_ database: Database) throws {
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        try database.execute(sql: "PRAGMA journal_size_limit = \(checkpointSize / 2)")
    }

    /// Allows SQLite to move the log into the database and remove it when the last connection is closed.
    package static func enableCheckpointOnClose(_ database: Database) throws {
        try setKeepsLog(false, database)
    }

    private static func setKeepsLog(_ keeps: Bool, _ database: Database) throws {
        guard roost_keep_log_on_close(database.sqliteConnection, keeps ? 1 : 0) == SQLITE_OK else {
            throw DatabaseError(message: "cannot configure the connection's write-ahead log")
        }
    }

    package static func size(ofDatabase path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return attributes?[.size] as? Int ?? 0
    }

    /// Moves the log into the database and truncates it. This method does not wait for readers: if one is
    /// using the log, it throws `SQLITE_BUSY`.
    package static func empty(_ database: Database) throws {
        let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
        try database.checkpoint(.truncate)
    }
}

/// The checksums of database pages, which a layer between SQLite and the file system writes and verifies.
///
/// They cover everything in a database file, including indexes and the tables with which filters are
/// evaluated: a page with a changed byte, or one that is stored at the wrong position, is never used. The
/// layer applies to databases that Roost created with ``create(_:)``, and does not affect
/// others.
package enum PageChecksums {
    package enum Verification: Sendable {
        /// The read fails with `SQLITE_IOERR_DATA`.
        case fail
        /// The page is used and counted, for an inspection.
        case count
        /// The page is used, for a recovery of rows that have their own checksums.
        case off
    }

    package struct Report: Sendable {
        package var isChecksummed: Bool
        /// The numbers of up to 20 pages whose checksums did not match, if the connection counts them.
        package var damagedPages: [UInt32]
    }

    package static let mismatch = ResultCode(rawValue: 10 | (32 << 8))

    private static let registration = roost_register_page_checksums()

    /// Makes the layer the default of this process. This must happen before the first database is opened.
    package static func register() throws { try check(registration, "register the layer for page checksums") }

    /// Turns an empty or missing file into an empty database with page checksums.
    package static func create(_ url: URL) throws {
        try register()
        try check(roost_create_checksummed(url.path), "create \(url.path)")
    }

    package static func setVerification(_ verification: Verification, _ database: Database) throws {
        let value =
            switch verification {
            case .fail: ROOST_VERIFY_FAIL
            case .count: ROOST_VERIFY_COUNT
            case .off: ROOST_VERIFY_OFF
            }
        try check(roost_set_verification(database.sqliteConnection, value), "configure a connection")
    }

    package static func report(_ database: Database) throws -> Report {
        var report = roost_page_report()
        try check(roost_get_page_report(database.sqliteConnection, &report), "read the state of a connection")
        let pages = withUnsafeBytes(of: report.pages) { Array($0.bindMemory(to: UInt32.self)) }
        return Report(
            isChecksummed: report.is_checksummed != 0,
            damagedPages: pages.prefix(Int(report.count)).sorted())
    }

    /// Returns the path with which one read-only connection opens a file as immutable: it takes no locks,
    /// ignores the write-ahead log and creates no files. Other connections are not affected.
    package static func immutablePath(_ url: URL) -> String { ROOST_IMMUTABLE_PREFIX + url.path }

    private static func check(_ code: CInt, _ operation: String) throws {
        guard code != 0 else { return }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "cannot \(operation)")
    }
}

/// Converts errors of SQLite, GRDB and the file layer into `StorageError`. All databases in the package use
/// this mapping.
package struct DatabaseErrorMapping: Sendable {
    private let path: String
    private let damageRemedy: Remedy?
    private let fullRemedy: Remedy

    package init(path: String, ifDamaged damageRemedy: Remedy? = nil, ifFull fullRemedy: Remedy = .freeSpace)
    {
        self.path = path
        self.damageRemedy = damageRemedy
        self.fullRemedy = fullRemedy
    }

    /// Returns the `StorageError` for an error of a database or file; other errors are returned unchanged.
    package func mapped(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError: storageError(error)
        case is RowDecodingError:
            StorageError(
                .damaged, "\(path) is damaged: a row contains a value of an unexpected type",
                underlying: error, remedy: damageRemedy)
        default: StorageError.mapping(error)
        }
    }

    package func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw mapped(error) }
    }

    package func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in try mapping { try body(isCancelled) } }
    }

    private func storageError(_ error: DatabaseError) -> StorageError {
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        let message = "\(path): \(reason)"
        if error.extendedResultCode == PageChecksums.mismatch {
            return StorageError(
                .damaged, "\(path) is damaged: the checksum of a page does not match", underlying: error,
                remedy: damageRemedy)
        }
        if error.resultCode == .SQLITE_CANTOPEN, let denial = missingPermission {
            return StorageError(denial)
        }
        if [.SQLITE_CANTOPEN, .SQLITE_IOERR].contains(error.resultCode), let folder = folderNotFile {
            return StorageError(FileError(operation: "open", path: folder, errno: EISDIR))
        }
        return switch error.resultCode {
        case .SQLITE_NOTADB:
            StorageError(
                .damaged, "\(path) is not an SQLite database", underlying: error, remedy: damageRemedy)
        case .SQLITE_CORRUPT:
            StorageError(.damaged, message, underlying: error, remedy: damageRemedy)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StorageError(.locked, message, underlying: error, isRetryable: true, remedy: .retryLater)
        case .SQLITE_FULL:
            StorageError(
                .full,
                "\(path): the disk is full"
                    + (fullRemedy == .freeSpace ? "" : ", or the database has reached its size limit"),
                underlying: error, remedy: fullRemedy)
        case .SQLITE_CANTOPEN:
            StorageError(.inputOutput, message, underlying: error, remedy: .checkPermissions)
        case .SQLITE_READONLY, .SQLITE_PERM:
            StorageError(.readOnly, message, underlying: error, remedy: .checkPermissions)
        case .SQLITE_MISUSE:
            // GRDB reports the use of a closed connection with this code.
            StorageError(.closed, "\(path) was closed", underlying: error)
        default: StorageError(.inputOutput, message, underlying: error)
        }
    }

    /// The path of a file of the database that is a folder; `nil` if none is. SQLite reports an I/O error.
    private var folderNotFile: String? {
        ["", "-wal", "-shm"].map { path + $0 }.first { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// The error for a file of the database that this process may not read; `nil` if it may read all of them.
    /// SQLite reports only that it cannot open the database.
    private var missingPermission: FileError? {
        for suffix in ["", "-wal", "-shm"] where faccessat(AT_FDCWD, path + suffix, R_OK, AT_EACCESS) != 0 {
            let error = FileError(operation: "read", path: path + suffix, errno: errno)
            if error.deniesPermission { return error }
        }
        return nil
    }

    /// Returns whether an error means that data is damaged, rather than that it temporarily cannot be read.
    ///
    /// `SQLITE_ERROR` is included, because a damaged schema makes valid statements invalid.
    package static func reportsDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError where error.extendedResultCode == PageChecksums.mismatch: true
        case let error as DatabaseError:
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_FORMAT].contains(
                error.resultCode)
        case let error as StorageError: error.code == .damaged
        case is RowDecodingError: true
        default: false
        }
    }
}
