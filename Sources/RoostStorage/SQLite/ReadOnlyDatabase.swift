import Foundation
import GRDB
import RoostFiles
import RoostModel

/// A database that this process cannot write, because it is on a read-only file system or because the user
/// lacks the permission.
///
/// If a repair or conversion was interrupted after it was committed, the database that it created is read.
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
        /// The log contains commits, or the database has no tables. The folder with a temporary copy is removed
        /// when the database is closed.
        case copy(LockedTemporaryFolder)
    }

    private struct Signature: Equatable {
        let database: FileSignature?
        let log: FileSignature?

        init(_ url: URL) {
            database = FileSignature(url)
            log = FileSignature(URL(fileURLWithPath: url.path + "-wal"))
        }

        var hasEmptyLog: Bool { log?.size ?? 0 == 0 }
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

    var refusal: StorageError {
        StorageError(
            .readOnly,
            "cannot write \(url.path): its folder is on a read-only file system, or the permission to write "
                + "it is missing", remedy: .checkPermissions)
    }

    // MARK: Opening

    /// Opens a database if this process cannot write it; otherwise, the result is `nil`.
    static func open(_ url: URL, _ options: SQLiteStorageProvider.Options) throws -> ReadOnlyDatabase? {
        guard isReadOnly(url) else { return nil }
        let url = try DatabaseReplacement(of: url).current()
        guard try DatabaseFile(url).size() ?? 0 > 0 else { return nil }
        if let shared = try openShared(url, options) { return shared }
        let signature = Signature(url)
        if signature.hasEmptyLog,
            let readers = try DatabaseConnections.openReaders(DatabaseFile(url, isImmutable: true), options)
        {
            return ReadOnlyDatabase(url, .immutable, signature, readers)
        }
        return try openCopy(url, options)
    }

    private static func openShared(
        _ url: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> ReadOnlyDatabase? {
        guard ["-shm", "-wal"].allSatisfy({ access(url.path + $0, R_OK) == 0 }) else { return nil }
        do {
            return try DatabaseConnections.openReaders(DatabaseFile(url), options).map {
                ReadOnlyDatabase(url, .shared, Signature(url), $0)
            }
        } catch let error as DatabaseError
            where [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_BUSY].contains(error.resultCode)
        {
            return nil
        }
    }

    private static func isReadOnly(_ url: URL) -> Bool {
        !FileSystem.isWritable(url.deletingLastPathComponent()) || !FileSystem.isWritable(url)
    }

    /// Calls `body` with a database that it can open for reading: the given one, the one that replaces it,
    /// or, if it is read-only and its log contains commits, a temporary copy.
    static func reading<Value>(_ url: URL, _ body: (DatabaseFile) throws -> Value) throws -> Value {
        let isReadOnly = isReadOnly(url)
        while true {
            let source = try DatabaseReplacement(of: url).current()
            let result = Result { try read(source, isReadOnly: isReadOnly, body) }
            // Another process may have completed a replacement in the meantime, which renames the file.
            if try DatabaseReplacement(of: url).current() == source { return try result.get() }
        }
    }

    private static func read<Value>(
        _ url: URL, isReadOnly: Bool, _ body: (DatabaseFile) throws -> Value
    ) throws -> Value {
        let file = DatabaseFile(url)
        guard isReadOnly, try file.size() ?? 0 > 0 else { return try body(file) }
        let signature = Signature(url)
        guard signature.hasEmptyLog else {
            let folder = try copied(url)
            defer { folder.remove() }
            return try body(DatabaseFile(folder.url.appendingPathComponent(url.lastPathComponent)))
        }
        let value = try body(DatabaseFile(url, isImmutable: true))
        guard Signature(url) == signature else { throw changed(url) }
        return value
    }

    private static func openCopy(
        _ url: URL, _ options: SQLiteStorageProvider.Options
    ) throws -> ReadOnlyDatabase {
        let signature = Signature(url)
        let folder = try copied(url)
        let copy = folder.url.appendingPathComponent(url.lastPathComponent)
        do {
            let writer = try SQLiteStorageProvider.prepared(copy, options)
            let readers = try DatabaseFile(copy).openReaders(SQLiteStorageProvider.configuration(options))
            try writer.close()
            return ReadOnlyDatabase(url, .copy(folder), signature, readers)
        } catch {
            folder.remove()
            throw error
        }
    }

    private static let temporaryPrefix = "roost-read-only-"

    /// Copies a database and its log to a new folder for temporary files.
    ///
    /// SQLite's own copy function is not used, because it cannot read the log here. Closing a descriptor of
    /// the files releases no locks, because this process cannot lock them.
    private static func copied(_ url: URL) throws -> LockedTemporaryFolder {
        let folder = try LockedTemporaryFolder(prefix: temporaryPrefix)
        do {
            let signature = Signature(url)
            try DatabaseFile(url).copy(to: folder.url)
            guard Signature(url) == signature else { throw changed(url) }
        } catch {
            folder.remove()
            throw error
        }
        return folder
    }

    // MARK: Using

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
        if case .copy(let folder) = method { folder.remove() }
    }
}
