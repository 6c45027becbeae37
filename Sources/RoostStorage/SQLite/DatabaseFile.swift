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

    package enum Synchronous: String, Sendable {
        /// Synchronizes the log at each commit, so commits survive a power failure.
        case full = "FULL"
        /// Synchronizes only at checkpoints, so a power failure can lose the latest commits.
        case normal = "NORMAL"
    }

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
        _ configuration: Configuration, synchronous: Synchronous = .full
    ) throws -> DatabasePool {
        try PageChecksums.register()
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // GRDB switches to write-ahead mode and sets `synchronous` to NORMAL after it has applied the
        // configuration, so the setting is made here.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
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

    package func read<Value>(
        _ configuration: Configuration, _ body: (Database) throws -> Value
    ) throws -> Value {
        let queue = try openReadOnly(configuration)
        defer { try? queue.close() }
        return try queue.read(body)
    }

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
