import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostSQLiteSupport

/// Replaces a database of an older format with a converted copy. The caller must hold the writers' lock.
///
/// The copy has the current format before it replaces the old file, so an older version of Roost, which could
/// write pages without checksums, never opens it. The old file is kept under another name. If the process
/// ends during the conversion, the database is unchanged or the next process completes the replacement.
struct DatabaseConversion {
    let url: URL
    /// The options for opening the copy. They have no maximum size, because a conversion can make the
    /// database larger, and a database that has reached its maximum size must still be opened.
    private let options: SQLiteStorageProvider.Options

    /// The space for the schema and rounding, in bytes, that a conversion needs in addition to the size of
    /// the database.
    private static let additionalSpace = 1 << 20

    init(_ url: URL, _ options: SQLiteStorageProvider.Options) {
        self.url = url
        var options = options
        options.maximumSize = nil
        self.options = options
    }

    /// Converts the database.
    ///
    /// - Parameter format: The number of the database's format, for the name of the file that is kept; `nil`
    ///   if the database has no tables of Roost, and is not kept.
    /// - Throws: `StorageError` with `.full` if the disk has too little space; the errors of SQLite;
    ///   `FileError`.
    func run(format: Int?) throws {
        try removeAbandonedCopies()
        let isLogEmpty = try emptyLog()
        let kept = format.map { "\(url.path).before-format-\($0 + 1)" }
        let isKept = kept.map(FileManager.default.fileExists(atPath:)) ?? true
        let size = try (DatabaseFile(url).size() ?? 0) + WriteAheadLog.size(ofDatabase: url.path)
        try Self.checkSpace(
            needed: size * (isLogEmpty || isKept ? 1 : 2) + Self.additionalSpace,
            free: FileSystem.standard.freeBytes(at: url.deletingLastPathComponent()), for: url)
        let copy = url.deletingLastPathComponent()
            .appendingPathComponent("\(DatabaseReplacement.convertedPrefix)\(UUID().uuidString).sqlite")
        do {
            try write(to: copy)
            if let kept, !isKept { try keep(at: kept, isLogEmpty: isLogEmpty) }
        } catch {
            Self.remove(copy)
            throw error
        }
        let mark = RevisionMark(of: url.path)
        try DatabaseReplacement(of: url).begin(with: copy)
        // The copy continues the same epoch.
        mark?.write(of: url.path)
    }

    /// Checks that the disk has enough space for a conversion.
    ///
    /// - Throws: `StorageError` with `.full`.
    static func checkSpace(needed: Int, free: Int?, for url: URL) throws {
        guard let free, free < needed else { return }
        func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
        throw StorageError(
            .full,
            "cannot convert \(url.path) to the current format: the conversion needs \(megabytes(needed)) of "
                + "free space, but the disk has \(megabytes(free)); nothing was changed",
            remedy: .freeSpace)
    }

    /// Moves the write-ahead log into the database, so that the file alone is complete.
    ///
    /// - Returns: Whether this was possible. Another process may still be reading from the log.
    private func emptyLog() throws -> Bool {
        let pool = try SQLiteStorageProvider.openPool(url, options)
        do {
            try pool.writeWithoutTransaction { try WriteAheadLog.empty($0) }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            // The log is copied instead.
        }
        try pool.close()
        return WriteAheadLog.size(ofDatabase: url.path) == 0
    }

    /// Writes a converted copy of the database.
    private func write(to copy: URL) throws {
        // SQLite would create the file with permissions for other users.
        try DatabaseFile(copy).create()
        try PageChecksums.copy(url, to: copy)
        let configuration = SQLiteStorageProvider.configuration(options)
        let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
        // The copy is deleted if the conversion fails, so it needs no journal, which could become as large as
        // the database.
        _ = try queue.writeWithoutTransaction { database in
            try String.fetchOne(database, sql: "PRAGMA journal_mode = OFF")
        }
        try Schema.migrator.migrate(queue)
        try queue.close()
        // Opening the pool switches the database to write-ahead mode.
        let pool = try SQLiteStorageProvider.openPool(copy, options)
        try pool.writeWithoutTransaction { database in
            try WriteAheadLog.empty(database)
            try WriteAheadLog.enableCheckpointOnClose(database)
        }
        try pool.close()
        // Closing this descriptor releases no locks of SQLite, because the copy is not open any longer.
        try FileDescriptor(copy.path, O_RDONLY).synchronize()
    }

    /// Keeps the old database under another name. If its log is empty, both names refer to the same file
    /// until it is replaced, so this takes no space.
    private func keep(at path: String, isLogEmpty: Bool) throws {
        guard isLogEmpty else {
            let pool = try SQLiteStorageProvider.openPool(url, options)
            defer { try? pool.close() }
            return try SQLiteStorageProvider.copy(pool, to: path)
        }
        try FileSystem.standard.link(url.path, at: path)
    }

    /// Removes the copies of conversions whose processes ended. The caller holds the lock, so no other
    /// process is converting the database.
    private func removeAbandonedCopies() throws {
        let folder = url.deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let prefix = DatabaseReplacement.convertedPrefix
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(".sqlite") {
            guard UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(".sqlite".count))) != nil
            else { continue }
            Self.remove(folder.appendingPathComponent(name))
        }
    }

    private static func remove(_ copy: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path + suffix) }
    }
}
