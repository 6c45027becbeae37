import CRoostSQLite
package import Foundation
package import GRDB

/// The checksums of database pages, which a layer between SQLite and the file system writes and verifies.
///
/// They cover everything in a database file, including indexes and the tables with which filters are
/// evaluated: a page with a changed byte, or one that is stored at the wrong position, is never used. The
/// layer applies to databases that Roost created with ``create(_:)``, and does not affect
/// others.
package enum PageChecksums {
    /// The effect of a page whose checksum does not match.
    package enum Verification: Sendable {
        /// The read fails with `SQLITE_IOERR_DATA`.
        case fail
        /// The page is used and counted, for an inspection.
        case count
        /// The page is used, for a recovery of rows that have their own checksums.
        case off
    }

    /// The state of a connection.
    package struct Report: Sendable {
        /// Whether the database has page checksums.
        package var isChecksummed: Bool
        /// The numbers of up to 20 pages whose checksums did not match, if the connection counts them.
        package var damagedPages: [UInt32]
    }

    /// The code of the error that reports a page whose checksum does not match.
    package static let mismatch = ResultCode(rawValue: 10 | (32 << 8))

    private static let registration = roost_register_page_checksums()

    /// Makes the layer the default of this process. This must happen before the first database is opened.
    package static func register() throws { try check(registration, "register the layer for page checksums") }

    /// Turns an empty or missing file into an empty database with page checksums.
    package static func create(_ url: URL) throws {
        try register()
        try check(roost_create_checksummed(url.path), "create \(url.path)")
    }

    /// Sets the effect of a page whose checksum does not match, for one connection.
    package static func setVerification(_ verification: Verification, _ database: Database) throws {
        let value =
            switch verification {
            case .fail: ROOST_VERIFY_FAIL
            case .count: ROOST_VERIFY_COUNT
            case .off: ROOST_VERIFY_OFF
            }
        try check(roost_set_verification(database.sqliteConnection, value), "configure a connection")
    }

    /// Returns the state of a connection.
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
