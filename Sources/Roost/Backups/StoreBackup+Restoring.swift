import Foundation
public import RoostChunks
import RoostFiles
public import RoostModel

extension StoreBackup {
    /// Restores a snapshot into a new store, in a folder that is new or empty.
    ///
    /// - **Atomicity**: The files are written into a folder next to `directory`, which replaces `directory`
    ///   in the last step. If the call fails, it removes only what it has created. A second call for the same
    ///   folder throws `.locked` while the first one runs. The folder that contains `directory` must be
    ///   writable, and `directory` must not be a mount point.
    /// - Parameters:
    ///   - snapshot: The snapshot to restore.
    ///   - repository: The repository that contains the snapshot.
    ///   - provider: The storage backend of the new store, which keeps its data in the folder; `nil` for that
    ///     of the original store, or SQLite if the original store is on a server.
    ///   - progress: Called repeatedly with the number of entries written so far and the number of all
    ///     entries.
    ///   - onLoss: Called with the damaged parts of the snapshot, which are then omitted; if `nil`, damage
    ///     makes the call throw.
    /// - Returns: The stamp of the new store, which has a new epoch.
    /// - Throws: ``RoostError`` with `.storeExists`, or with `.configuration` if the folder contains files
    ///   or is inside the folder of a store;
    ///   `BackupError` with `.damaged`, or with `.locked` if another process restores into the same folder or
    ///   prunes the repository; `StorageError`; `ChunkStorageError`; `CancellationError`.
    @discardableResult
    public func restore(
        _ snapshot: BackupSnapshot, from repository: BackupRepository,
        provider: StoreManifest.Provider? = nil,
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in },
        onLoss: (@Sendable (BackupLoss) -> Void)? = nil
    ) async throws -> Stamp {
        guard !StoreManifest.exists(in: directory) else { throw RoostError.storeExists(in: directory) }
        try StoreManifest.requireOutsideOfStores(directory)
        guard let text = snapshot.attributes[Self.manifestKey],
            var manifest = try? JSONDecoder().decode(StoreManifest.self, from: Data(text.utf8))
        else {
            throw BackupError(
                .damaged,
                "cannot restore snapshot \(snapshot.id.prefix(12)): its copy of \(Self.manifestKey) is "
                    + "missing or damaged")
        }
        guard provider != .postgres else { throw StoreConfiguration.cannotFillServer }
        manifest.provider = provider ?? (manifest.provider == .postgres ? .sqlite : manifest.provider)
        manifest.maximumSize = nil
        // The restored storage has a new id.
        manifest.store = nil
        let target = try RestoreTarget(directory)
        do {
            let stamp = try await StoreConfiguration(directory: target.staging, manifest: manifest)
                .withStorage(.filling) { storage in
                    try await repository.restore(
                        snapshot, into: storage,
                        documents: OriginalStore(of: target.staging, files: .deferring).storage,
                        progress: progress, onLoss: onLoss)
                }
            // The new storage has its own id.
            manifest.store = stamp.store
            manifest.hasOriginals = OriginalStore(of: target.staging).exists ? true : nil
            try manifest.create(in: target.staging)
            try await BlockingWork.run { _ in try target.complete() }
            return stamp
        } catch {
            target.discard()
            throw error
        }
    }
}
