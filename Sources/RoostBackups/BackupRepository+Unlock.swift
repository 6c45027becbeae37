public import Foundation
import RoostChunks

/// A lock that a process wrote into a backup repository.
public struct BackupLock: Sendable, Hashable {
    /// The name of the machine on which the process ran.
    public let host: String
    /// The id of the process.
    public let process: Int32
    /// Whether the lock is exclusive, like that of a prune.
    public let isExclusive: Bool
    /// The time at which the process last renewed the lock.
    public let renewed: Date

    init(_ contents: RepositoryLock.Contents) {
        host = contents.host
        process = contents.process
        isExclusive = contents.isExclusive
        renewed = Date(timeIntervalSince1970: TimeInterval(contents.renewed))
    }
}

extension BackupRepository {
    /// Deletes the locks of processes that ended without deleting them.
    ///
    /// This method cannot determine whether a process on another machine is still running: make sure that no
    /// other machine uses the repository. If a process loses its lock, it notices this before its next
    /// irreversible step and fails.
    ///
    /// - Parameter removingAll: Whether to delete the locks of running processes on this machine, too.
    /// - Returns: The locks that were deleted, and those of running processes that were kept.
    /// - Throws: `ChunkStorageError` if a lock cannot be deleted.
    public func unlock(removingAll: Bool = false) async throws -> (removed: [BackupLock], kept: [BackupLock])
    {
        let result = try await RepositoryLock.removeAbandoned(removingAll: removingAll, retrieval)
        return (result.removed.map { BackupLock($0) }, result.kept.map { BackupLock($0) })
    }
}
