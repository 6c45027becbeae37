import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostSQLiteSupport

/// A database that this process cannot write, because it is on a read-only file system or because the user
/// lacks the permission.
///
/// SQLite reads a database in write-ahead mode only with an index in shared memory, a file that it cannot
/// create here. There are three ways to read the database nevertheless; the first that works is used.
final class ReadOnlyDatabase: Sendable {
    private enum Method {
        /// A process that can write the folder has created the index. SQLite's locks work as usual.
        case shared
        /// The log is empty, so the database file alone is complete. SQLite takes no locks; each read is
        /// followed by a check that the file has not changed.
        case immutable
        /// The log contains commits, or the database has an older format. The folder with a temporary copy is
        /// removed when the database is closed.
        case copy(URL)
    }

    /// The properties of the files by which changes are detected.
    private struct Signature: Equatable {
        var parts: [Part]

        struct Part: Equatable {
            var identity: FileIdentity?
            var size: Int64
            var seconds: Int
            var nanoseconds: Int
        }

        init(_ url: URL) {
            parts = ["", "-wal"].map { suffix in
                var status = stat()
                guard stat(url.path + suffix, &status) == 0 else {
                    return Part(identity: nil, size: 0, seconds: 0, nanoseconds: 0)
                }
                #if canImport(Darwin)
                    let modified = status.st_mtimespec
                #else
                    let modified = status.st_mtim
                #endif
                return Part(
                    identity: FileIdentity(URL(fileURLWithPath: url.path + suffix)),
                    size: Int64(status.st_size), seconds: modified.tv_sec, nanoseconds: modified.tv_nsec)
            }
        }
    }

    private let url: URL
    private let method: Method
    private let signature: Signature
    let readers: DatabasePool

    private init(_ url: URL, _ method: Method, _ signature: Signature, _ readers: DatabasePool) {
        self.url = url
        self.method = method
        self.signature = signature
        self.readers = readers
    }

    /// The error for an attempt to write.
    var refusal: StorageError {
        StorageError(
            .readOnly,
            "cannot write \(url.path): its folder is on a read-only file system, or the permission to write "
                + "it is missing", remedy: .checkPermissions)
    }

    // MARK: Opening

    /// Opens a database if this process cannot write it; otherwise, the result is `nil`.
    ///
    /// - Throws: The errors of SQLite, `FileError` and `StorageError`.
    static func open(_ url: URL, _ options: SQLiteStorageProvider.Options) throws -> ReadOnlyDatabase? {
        guard try isReadOnly(url) else { return nil }
        if let shared = try openShared(url, options) { return shared }
        let signature = Signature(url)
        if signature.parts[1].size == 0, let opened = try openImmutable(url, signature, options) {
            return opened
        }
        return try openCopy(url, options)
    }

    private static func isReadOnly(_ url: URL) throws -> Bool {
        let folder = url.deletingLastPathComponent()
        guard !FileSystem.isWritable(folder) || !FileSystem.isWritable(url) else { return false }
        return try DatabaseFile(url).size() ?? 0 > 0
    }

    /// Calls `body` with the URL of a database that it can open for reading: the given one or, if that one is
    /// read-only and its log contains commits, a temporary copy.
    static func reading<Value>(_ url: URL, _ body: (URL) throws -> Value) throws -> Value {
        guard try isReadOnly(url) else { return try body(url) }
        let signature = Signature(url)
        guard signature.parts[1].size == 0 else {
            let copy = try copied(url)
            defer { try? FileManager.default.removeItem(at: copy.deletingLastPathComponent()) }
            return try body(copy)
        }
        try PageChecksums.beginImmutable(url)
        defer { PageChecksums.endImmutable(url) }
        let value = try body(url)
        guard Signature(url) == signature else { throw changed(url) }
        return value
    }

    private static func openShared(
        _ url: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> ReadOnlyDatabase? {
        let files = FileManager.default
        guard files.isReadableFile(atPath: url.path + "-shm"), files.isReadableFile(atPath: url.path + "-wal")
        else { return nil }
        do {
            guard let readers = try openReaders(url, options) else { return nil }
            return ReadOnlyDatabase(url, .shared, Signature(url), readers)
        } catch let error as DatabaseError
            where [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_BUSY].contains(error.resultCode)
        {
            return nil
        }
    }

    private static func openImmutable(
        _ url: URL, _ signature: Signature, _ options: SQLiteStorageProvider.Options
    ) throws -> ReadOnlyDatabase? {
        try PageChecksums.beginImmutable(url)
        do {
            if let readers = try openReaders(url, options) {
                return ReadOnlyDatabase(url, .immutable, signature, readers)
            }
        } catch {
            PageChecksums.endImmutable(url)
            throw error
        }
        PageChecksums.endImmutable(url)
        return nil
    }

    /// Opens connections for reading, and reads from the database.
    ///
    /// - Returns: `nil` if the database has an older format.
    private static func openReaders(
        _ url: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> DatabasePool? {
        let readers = try SQLiteStorageProvider.openReaders(url, options)
        do {
            let mark = RevisionMark(of: url.path)
            let isCurrent = try readers.read { database in
                guard try SQLiteStorageProvider.hasCurrentFormat(database, path: url.path) else {
                    return false
                }
                try mark?.check(try Meta(database), url.path)
                return true
            }
            if isCurrent { return readers }
        } catch {
            try? readers.close()
            throw error
        }
        try readers.close()
        return nil
    }

    private static func openCopy(
        _ url: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> ReadOnlyDatabase {
        let signature = Signature(url)
        let copy = try copied(url)
        let folder = copy.deletingLastPathComponent()
        do {
            let writer = try SQLiteStorageProvider.prepared(copy, options)
            let readers = try SQLiteStorageProvider.openReaders(copy, options)
            try writer.close()
            return ReadOnlyDatabase(url, .copy(folder), signature, readers)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Copies a database and its log to a new folder for temporary files.
    ///
    /// SQLite's own copy function is not used, because it cannot read the log here. Closing a descriptor of
    /// the files releases no locks, because this process cannot lock them.
    private static func copied(_ url: URL) throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-read-only-\(UUID().uuidString)")
        try FileSystem.standard.createFolder(folder)
        let copy = folder.appendingPathComponent(url.lastPathComponent)
        do {
            let signature = Signature(url)
            for suffix in ["", "-wal", "-mark"]
            where FileManager.default.fileExists(atPath: url.path + suffix) {
                try AtomicFile.copy(
                    URL(fileURLWithPath: url.path + suffix), to: URL(fileURLWithPath: copy.path + suffix))
            }
            guard Signature(url) == signature else { throw changed(url) }
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        return copy
    }

    // MARK: Using

    /// Checks that the database has not changed since it was opened.
    ///
    /// - Throws: `StorageError` with `.closed` if another process has changed the database although this
    ///   process takes no locks on it.
    func check() throws {
        guard case .immutable = method, Signature(url) != signature else { return }
        throw Self.changed(url)
    }

    private static func changed(_ url: URL) -> StorageError {
        StorageError(
            .closed,
            "cannot read \(url.path): another process changed it, and this process cannot lock it because "
                + "its folder is read-only", isRetryable: true, remedy: .reopenStore)
    }

    /// Removes a temporary copy. All connections must be closed.
    func close() {
        switch method {
        case .shared: break
        case .immutable: PageChecksums.endImmutable(url)
        case .copy(let folder): try? FileManager.default.removeItem(at: folder)
        }
    }
}
