import CRoostSQLite
package import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostSQLiteSupport

extension SQLiteStorageProvider {
    /// Opens the database; creates it if it does not exist, or migrates it if it has an older format. The
    /// caller must hold the writers' lock.
    static func prepared(_ url: URL, _ options: Options) throws -> DatabasePool {
        try DatabaseReplacement(of: url).finish()
        try prepareFile(url)
        let pool = try openPool(url, options)
        let applied = try pool.read { try Schema.migrator.appliedIdentifiers($0) }
        try Schema.migrator.check(applied: applied, path: url.path)
        if !applied.isEmpty, try pool.read({ try !Schema.migrator.hasCompletedMigrations($0) }) {
            let copy = "\(url.path).before-format-\(applied.count + 1)"
            if !FileManager.default.fileExists(atPath: copy) { try Self.copy(pool, to: copy) }
        }
        try Schema.migrator.migrate(pool)
        try RevisionMark(of: url.path)?.check(try pool.read { try Meta($0) }, url.path)
        return pool
    }

    static func openPool(_ url: URL, _ options: Options) throws -> DatabasePool {
        try DatabaseFile(url).openPool(
            configuration(options), synchronous: options.durability == .full ? .full : .normal)
    }

    /// Returns the `PRAGMA synchronous` value of the connection that commits: 2 for `FULL`, 1 for `NORMAL`.
    package func synchronousSetting() async throws -> Int? { try pool.synchronousSetting() }

    /// The maximum number of connections that read. Each has its own cache, and more of them would rarely run
    /// in parallel on a personal computer.
    private static let maximumReaderCount = 8
    /// The size of each connection's page cache in KiB. It can hold the inner pages of the indexes of a large
    /// store.
    private static let cacheSize = 16_000

    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(options.lockTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = maximumReaderCount
        configuration.prepareDatabase { database in
            if let size = options.maximumSize {
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
            // A negative value is a size in KiB; a positive value is a number of pages.
            try database.execute(sql: "PRAGMA cache_size = -\(cacheSize)")
            try WriteAheadLog.disableImplicitCheckpoints(database)
            database.add(function: FilterSQL.hasKey)
            guard roost_register_checksum(database.sqliteConnection) == SQLITE_OK,
                roost_register_compare(database.sqliteConnection) == SQLITE_OK
            else { throw DatabaseError(message: "cannot register Roost's SQL functions") }
        }
        return configuration
    }

    /// Creates the file if it does not exist.
    ///
    /// - Throws: `StorageError` with `.damaged` if the file is missing or empty although its companion files
    ///   show that it had content. SQLite would treat such a database as new, and delete the log.
    private static func prepareFile(_ url: URL) throws {
        let file = DatabaseFile(url)
        guard try file.size() ?? 0 == 0 else { return }
        guard WriteAheadLog.size(ofDatabase: url.path) == 0, RevisionMark(of: url.path) == nil else {
            throw StorageError(
                .damaged,
                "cannot open \(url.path): the file is missing or empty, although data was written to it. "
                    + "Restore a copy of it, or move the files next to it away to start an empty store",
                remedy: .restoreBackup)
        }
        try file.create()
    }

    /// Returns whether a database has the current format and can therefore be opened without a migration.
    /// This method does not write anything.
    ///
    /// - Throws: `StorageError`.
    package static func isOfPresentFormat(_ url: URL) throws -> Bool {
        try errors(url.path).mapping {
            try DatabaseFile(url).read(configuration(Options())) {
                try Schema.migrator.hasCompletedMigrations($0)
            }
        }
    }
}
