public import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostSQLiteSupport

extension SQLiteStorageProvider {
    /// Copies the store to a new file, as it is when the copy completes. Readers and writers continue
    /// meanwhile (SQLite's online backup).
    ///
    /// The copy has the id and the epoch of the store. Before you write to both, call ``renewEpoch()`` on one
    /// of them.
    ///
    /// - Parameter url: The new file. Its folder must exist.
    /// - Throws: `StorageError` with `.inputOutput`, also if the file exists. No new file is left then.
    public func copy(to url: URL) async throws {
        try await Self.errors(url.path).runBlocking { _ in try Self.copy(pool, to: url.path) }
    }

    static func copy(_ pool: DatabasePool, to path: String) throws {
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
