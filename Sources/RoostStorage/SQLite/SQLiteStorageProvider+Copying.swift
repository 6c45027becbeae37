public import Foundation
import GRDB
import RoostFiles
import RoostModel

extension SQLiteStorageProvider {
    /// Copies the store to a new file. The copy contains the state of the store at the time when copying
    /// begins. Other readers and writers can continue during the copy (SQLite's online backup).
    ///
    /// The copy has the same id and epoch as the store. Before you write to both, call ``renewEpoch()`` on
    /// one of them.
    ///
    /// - Parameter url: The new file. Its folder must exist.
    /// - Throws: `StorageError` with `.inputOutput`, for example if the file already exists. After an error,
    ///   no new file is left behind.
    public func copy(to url: URL) async throws {
        try await Self.errors(url.path).runBlocking { _ in try Self.copy(pool, to: url.path) }
    }

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
