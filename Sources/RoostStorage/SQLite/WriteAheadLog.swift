import CRoostSQLite
package import Foundation
package import GRDB

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
