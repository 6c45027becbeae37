import Foundation
import RoostChunks
import RoostModel

extension BackupRepository {
    /// Verifies that every snapshot can be restored.
    ///
    /// Damage is not an error; it is reported in the result, and so are snapshots of a newer format.
    ///
    /// - Parameters:
    ///   - readingData: Whether to read all packs and verify their digests. Otherwise only snapshots, indexes
    ///     and lists are read, and the existence and size of the packs is checked.
    ///   - isIgnoringLocks: Whether to verify without a lock. If another process prunes the repository at the
    ///     same time, the result may list faults that do not exist.
    ///   - progress: Called repeatedly with the number of packs that have been read and the total number of
    ///     packs.
    /// - Returns: The faults, and the data that they affect.
    /// - Throws: ``BackupError`` with `.locked` if another process is pruning the repository;
    ///   `ChunkStorageError` if the storage cannot be read; `CancellationError`.
    @concurrent
    public func verify(
        readingData: Bool = false, isIgnoringLocks: Bool = false,
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupVerification {
        try await RepositoryLock.with(
            exclusive: false, isIgnored: isIgnoringLocks, toleratesReadOnly: true, retrieval
        ) { _ in
            var verifier = try await RepositoryVerifier(self)
            try await verifier.findIncompletePacks()
            if readingData { try await verifier.readPacks(progress) }
            try await verifier.checkSnapshots()
            return verifier.result
        }
    }
}
