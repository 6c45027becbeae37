import CRoostSQLite
public import Foundation
import GRDB
import RoostFiles
import RoostModel

extension SQLiteStorageProvider {
    /// Opens the database; creates it if it does not exist, or migrates it if it has an older format, of
    /// which a copy is kept. The caller must hold the writers' lock.
    static func prepared(_ url: URL, _ options: Options) throws -> DatabasePool {
        try PageChecksums.register()
        try DatabaseReplacement(of: url).finish()
        try prepareFile(url)
        var pool = try openPool(url, options)
        do {
            try pool.read(checkPageChecksums)
            let schema = options.schema
            let format = try pool.read { try schema.format(of: $0, path: url.path) }
            if format > 0 {
                try RevisionMark(of: url.path)?.check(try pool.read { try Meta($0) }, url.path)
            }
            if format > 0, format < schema.format {
                let kept = "\(url.path).before-format-\(format + 1)"
                if !FileManager.default.fileExists(atPath: kept) { try copy(pool, to: kept) }
                // A database that has reached its maximum size must still be opened.
                try pool.close()
                var unlimited = options
                unlimited.maximumSize = nil
                pool = try openPool(url, unlimited)
                try schema.migrator.migrate(pool)
                try pool.close()
                pool = try openPool(url, options)
            }
            // Creates the tables of a new database.
            try schema.migrator.migrate(pool)
            return pool
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// - Throws: `StorageError` with `.damaged` if the database lacks page checksums. Every database of Roost
    ///   has them, so the part of the header that declares them is damaged.
    static func checkPageChecksums(_ database: Database) throws {
        guard try PageChecksums.report(database).isChecksummed else {
            throw Column.damaged("a header that does not declare the checksums of its pages")
        }
    }

    static func openPool(_ url: URL, _ options: Options) throws -> DatabasePool {
        let pool = try DatabaseFile(url).openPool(
            configuration(options), synchronous: options.durability == .full ? .full : .normal)
        if let size = options.maximumSize {
            // The limit is set after opening, because GRDB creates and drops a table while it opens a
            // database without a log. A database that has reached its limit must open, to remove entries.
            try pool.writeWithoutTransaction { database in
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
        }
        return pool
    }

    static func hasCurrentFormat(_ database: Database, _ schema: Schema, path: String) throws -> Bool {
        guard try schema.format(of: database, path: path) == schema.format else { return false }
        try checkPageChecksums(database)
        return true
    }

    /// Returns the `PRAGMA synchronous` value of the connection that commits: 2 for `FULL`, 1 for `NORMAL`.
    package func synchronousSetting() async throws -> Int? {
        try await errors.runBlocking { isCancelled in
            let lock = try FileLock.acquire(
                lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
            defer { lock.release() }
            return try connections.openedWriter().synchronousSetting()
        }
    }

    /// The maximum number of connections that read. Each has its own cache, and more of them would rarely run
    /// in parallel on a personal computer.
    private static let maximumReaderCount = 8
    /// The size of the page cache of a writing or reading connection in KiB. It can hold the inner pages of
    /// the indexes of a large store.
    private static let cacheSize = 16_000

    /// - Parameter verification: The effect of a page whose checksum does not match. With `.off`, a truncated
    ///   file can be read, too.
    static func configuration(
        _ options: Options, verifyingPages verification: PageChecksums.Verification = .fail
    ) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(options.lockTimeout.asTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = maximumReaderCount
        configuration.prepareDatabase { database in
            // Otherwise, SQLite reads nothing from a file that is shorter than its header states.
            if verification == .off { try database.execute(sql: "PRAGMA writable_schema = ON") }
            try PageChecksums.setVerification(verification, database)
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
        try PageChecksums.create(url)
    }
}

extension SQLiteStorageProvider {
    /// Copies a database to a new file, which has the state at the beginning of the call (SQLite's online
    /// backup).
    ///
    /// - Throws: `FileError`, for example if the file already exists. No new file is then left behind.
    static func copy(_ pool: DatabasePool, to path: String) throws {
        let temporary = path + ".\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
        _ = try FileDescriptor(temporary, O_RDWR | O_CREAT | O_EXCL)
        defer { unlink(temporary) }
        if try pool.read({ try PageChecksums.report($0).isChecksummed }) {
            // The pages of the copy need checksums from the first one that is written.
            try PageChecksums.create(URL(fileURLWithPath: temporary))
        }
        let target = try DatabaseQueue(path: temporary)
        try pool.backup(to: target)
        try target.close()
        try FileDescriptor(temporary, O_RDONLY).synchronize()
        do {
            try FileSystem.standard.link(temporary, at: path)
        } catch let error as FileError {
            throw FileError(operation: "copy to", path: path, errno: error.errno)
        }
        try FileSystem.standard.synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent())
    }
}
