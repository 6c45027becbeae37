import CRoostSQLite
import Foundation
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

    /// Returns the size of the log in bytes; 0 if it does not exist.
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
