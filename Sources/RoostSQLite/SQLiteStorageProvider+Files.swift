import CRoostSQLite
public import Foundation
import GRDB
import RoostFiles
import RoostModel

/// The files of a database: opening, copying, and putting another in its place.
extension SQLiteStorageProvider {
    /// The log is moved into the database after a commit that leaves it longer than this.
    static let longLog = 8 << 20

    /// Opens the database, creating or migrating it. The writers' lock must be held.
    static func prepared(_ url: URL, _ options: Options) throws -> DatabasePool {
        try Replacement(of: url).finish()
        try prepareFile(url)
        let pool = try openPool(url, options)
        if try pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) {
            throw StorageError(
                .newerFormat, "\(url.path) was written by a newer version of Roost; update Roost to open it")
        }
        let done = try pool.read { try Schema.migrator.appliedIdentifiers($0) }
        if !done.isEmpty, try pool.read({ try !Schema.migrator.hasCompletedMigrations($0) }) {
            let copy = "\(url.path).before-format-\(done.count + 1)"
            if !FileManager.default.fileExists(atPath: copy) { try Self.copy(pool, to: copy) }
        }
        try Schema.migrator.migrate(pool)
        try RevisionMark(of: url.path)?.check(try pool.read { try Meta($0) }, url.path)
        return pool
    }

    static func openPool(_ url: URL, _ options: Options) throws -> DatabasePool {
        let pool = try DatabasePool(path: url.path, configuration: configuration(options))
        // GRDB sets NORMAL on its writer when it turns the log on, after the configuration was applied.
        try pool.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
        }
        return pool
    }

    /// What SQLite says of the connection that commits: 2 for `FULL`, 1 for `NORMAL`.
    package func synchronousSetting() async throws -> Int? {
        try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }

    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(options.lockTimeout)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { database in
            if let size = options.maximumSize {
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
            // Checkpoints are made under the writers' lock (see `libraryVersion`).
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "PRAGMA journal_size_limit = \(longLog / 2)")
            try database.execute(sql: "PRAGMA cache_size = -16000")
            database.add(function: FilterSQL.hasKey)
            guard roost_register_checksum(database.sqliteConnection) == SQLITE_OK,
                roost_register_compare(database.sqliteConnection) == SQLITE_OK,
                roost_keep_log_on_close(database.sqliteConnection, 1) == SQLITE_OK
            else { throw DatabaseError(message: "the connection cannot be set up") }
        }
        return configuration
    }

    /// Creates the file itself, so that it is readable by its owner only.
    ///
    /// One that is there is never opened but by SQLite: a process that closes any descriptor of a file loses
    /// all locks that it has on it (POSIX `fcntl`), those of its other connections too, and a program that
    /// comes then would take itself for the last one and remove the log under them.
    private static func prepareFile(_ url: URL) throws {
        guard try size(of: url) ?? 0 == 0 else { return }
        // SQLite would take the file for a new one, and remove the log.
        let log = try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int
        guard log ?? 0 == 0, RevisionMark(of: url.path) == nil else {
            throw StorageError(
                .damaged,
                "\(url.path) is missing or empty, but it had been written to; put back a copy of it, or move "
                    + "the files beside it away to begin an empty store")
        }
        do {
            _ = try FileDescriptor(url.path, O_RDWR | O_CREAT | O_EXCL)
        } catch let error as FileError where error.errno == EEXIST {
            return
        }
    }

    /// How many bytes a file has, without opening it; `nil` where there is none.
    ///
    /// - Throws: ``FileError``.
    static func size(of url: URL) throws -> Int? {
        var status = stat()
        guard stat(url.path, &status) != 0 else { return Int(status.st_size) }
        let error = FileError(operation: "look at", path: url.path, errno: errno)
        guard error.isMissing else { throw error }
        return nil
    }

    /// Whether a database has the present format, so that opening it changes nothing. Reads only.
    ///
    /// - Throws: ``StorageError``.
    package static func isOfPresentFormat(_ url: URL) throws -> Bool {
        try translating(url.path) {
            var configuration = configuration(Options())
            configuration.readonly = true
            let queue = try DatabaseQueue(path: url.path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { try Schema.migrator.hasCompletedMigrations($0) }
        }
    }

    // MARK: Copies

    /// Copies the store as it is now into a new file, while readers and writers go on (SQLite's online
    /// backup). The copy has the store's id and epoch: to write to both, call ``renewEpoch()`` on one.
    ///
    /// - Throws: ``StorageError`` with `.inputOutput`, also where the file exists; nothing is left then.
    public func copy(to url: URL) async throws {
        try await BlockingWork.run { _ in
            try Self.translating(url.path) { try Self.copy(pool, to: url.path) }
        }
    }

    private static func copy(_ pool: DatabasePool, to path: String) throws {
        let temporary = path + ".\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
        _ = try FileDescriptor(temporary, O_RDWR | O_CREAT | O_EXCL)
        defer { unlink(temporary) }
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

/// Puts another database in the place of one, in steps that can be finished by whoever comes next: a file
/// beside the database names the new one until it stands.
struct Replacement {
    private let url: URL
    private let files = FileSystem.standard

    init(of url: URL) { self.url = url }

    private var marker: URL { URL(fileURLWithPath: url.path + "-replacing") }

    /// The old files must have been copied before; the new database must be closed and durable.
    ///
    /// - Throws: ``FileError``; before the marker is written the old database stands, after it the new one.
    func begin(with made: URL) throws {
        try AtomicFile.write(Data(made.lastPathComponent.utf8), to: marker, files: files)
        try finish()
    }

    /// Finishes what was begun, if something was.
    func finish() throws {
        let name: String
        do {
            let file = try FileDescriptor(marker.path, O_RDONLY)
            name = String(decoding: try file.read(at: 0, count: 1024), as: UTF8.self)
        } catch let error as FileError where error.isMissing {
            return
        }
        let folder = url.deletingLastPathComponent()
        let made = folder.appendingPathComponent(name)
        guard name.hasPrefix("repaired-"), name.hasSuffix(".sqlite"), !name.contains("/") else {
            throw StorageError(
                .damaged, "\(marker.path) is not as it was written; move it away, and try again")
        }
        var head: Data?
        do {
            head = try FileDescriptor(made.path, O_RDONLY).read(at: 0, count: 16)
        } catch let error as FileError where error.isMissing {
            // It has the database's name already.
        }
        if let head {
            guard head == Data("SQLite format 3\0".utf8) else {
                throw StorageError(
                    .damaged, "\(made.path), which \(marker.path) names, is no database; move both away")
            }
            // The log of the old database must not be taken for one of the new.
            for suffix in ["-wal", "-shm", "-mark"] { try files.unlink(url.path + suffix) }
            try files.synchronizeFolder(folder)
            try files.rename(made.path, to: url.path)
            try files.synchronizeFolder(folder)
        }
        for suffix in ["-wal", "-shm", "-mark", ".lock"] { try files.unlink(made.path + suffix) }
        try files.unlink(marker.path)
        try files.synchronizeFolder(folder)
    }
}
