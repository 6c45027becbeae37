import CRoostSQLite
package import Foundation
package import GRDB
import RoostFiles
import RoostModel

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

    /// Lets SQLite undo a transaction of a process that ended before its commit.
    func rollBack() throws {
        let queue = try DatabaseQueue(path: url.path)
        defer { try? queue.close() }
        _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }

    /// Copies the database, its log and its mark to a folder. The copies share disk blocks with the originals if
    /// the file system supports it.
    func copy(to folder: URL) throws {
        for suffix in ["", "-wal", "-mark"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            let source = URL(fileURLWithPath: url.path + suffix)
            try AtomicFile.copy(source, to: folder.appendingPathComponent(source.lastPathComponent))
        }
    }

    package func openPool(
        _ configuration: Configuration, durability: SQLiteStorageProvider.Durability = .full
    ) throws -> DatabasePool {
        try PageChecksums.register()
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // GRDB switches to write-ahead mode and sets `synchronous` to NORMAL after it has applied the
        // configuration, so the setting is made here. SQLite writes the pages that a statement changes to a temporary
        // file, in case it fails. That takes more time than the write-ahead log, unless the file is in memory.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
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
    /// Runs a transaction that holds the write lock from its start, and makes a checkpoint if the log has become
    /// long. The caller must hold the writers' lock.
    ///
    /// - Throws: The errors of `body`, after which nothing is written; `StorageError` with `.inputOutput` if the
    ///   log cannot be synchronized. The outcome is then unknown, because the log contains the commit.
    package func commit<Value>(
        checkpointSize: Int = WriteAheadLog.checkpointSize, _ body: (Database) throws -> Value
    ) throws -> Value {
        var isCommitting = false
        let value: Value
        do {
            value = try write { database in
                let value = try body(database)
                isCommitting = true
                return value
            }
        } catch let error as DatabaseError
            where isCommitting && error.extendedResultCode == .SQLITE_IOERR_FSYNC
        {
            throw StorageError(
                .inputOutput,
                "\(path): \(error.message ?? "I/O error"), so the commit may or may not have been saved",
                underlying: error)
        }
        if WriteAheadLog.size(ofDatabase: path) > checkpointSize {
            // Pages that a reader is still using stay in the log until a later checkpoint.
            _ = try? writeWithoutTransaction { try $0.checkpoint(.passive) }
        }
        return value
    }

    /// Frees the space of removed rows by copying all rows. Other writers wait until this is done.
    ///
    /// - Parameter isCancelled: Whether to stop. It is called while rows are copied, but no longer while the
    ///   copy replaces the database.
    /// - Throws: `CancellationError`; `DatabaseError`. In both cases, the database is unchanged.
    func vacuum(isCancelled: () -> Bool) throws {
        try writeWithoutTransaction { database in
            // The copy is a temporary file, too.
            try database.execute(sql: "PRAGMA temp_store = FILE")
            defer { try? database.execute(sql: "PRAGMA temp_store = MEMORY") }
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
