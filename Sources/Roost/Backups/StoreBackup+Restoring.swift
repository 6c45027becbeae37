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
        guard provider != .postgres else {
            throw StorageError(
                .unsupported,
                "cannot restore a store to PostgreSQL, because its revisions would not be preserved; create a "
                    + "store there with the same model, and copy the entries into it",
                remedy: .copyEntries)
        }
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

/// The folder into which one process restores a backup.
///
/// The files are written into a folder next to it, which replaces the empty folder in one step when they are
/// complete.
struct RestoreTarget {
    let directory: URL
    let staging: URL
    private let lock: FileLock
    private let lockURL: URL

    /// Locks a folder that is new or empty. The remains of an interrupted restoration are removed.
    ///
    /// - Throws: ``RoostError`` with `.configuration` if the folder contains files; `BackupError` with
    ///   `.locked` if another process restores into it; `StorageError`.
    init(_ directory: URL) throws {
        // Renaming a folder does not replace a symbolic link.
        let resolved = FileSystem.resolvedPath(directory.path).map { URL(fileURLWithPath: $0) }
        self.directory = resolved ?? directory.standardizedFileURL
        let parent = self.directory.deletingLastPathComponent()
        let name = ".\(self.directory.lastPathComponent).restoring"
        staging = parent.appendingPathComponent(name, isDirectory: true)
        lockURL = parent.appendingPathComponent(name + ".lock")
        do {
            try FileSystem.standard.createFolder(parent)
            lock = try FileLock.acquire(lockURL, timeout: 0)
        } catch is LockTimeout {
            throw BackupError(
                .locked,
                "cannot restore into \(directory.path): another process is restoring a backup there",
                isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
        do {
            try requireEmpty()
            // This process holds the lock, so the process that created an existing folder has ended.
            if FileManager.default.fileExists(atPath: staging.path) {
                try FileManager.default.removeItem(at: staging)
            }
            try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(staging) }
        } catch {
            removeLock()
            throw error
        }
    }

    private func requireEmpty() throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        guard names.isEmpty else {
            throw RoostError(
                .configuration,
                "cannot restore into \(directory.path): the folder contains files; name a new or empty "
                    + "folder")
        }
    }

    /// Makes all files durable and moves the folder to its place. Blocks the calling thread.
    func complete() throws {
        try StorageError.mappingFileErrors { try FileSystem.synchronizeAll(around: staging) }
        try requireEmpty()
        try StorageError.mappingFileErrors {
            // Renaming a folder replaces an empty one, and fails if another program has written into it.
            try FileSystem.standard.rename(staging.path, to: directory.path)
            try FileSystem.standard.synchronizeFolder(directory.deletingLastPathComponent())
        }
        removeLock()
    }

    func discard() {
        try? FileManager.default.removeItem(at: staging)
        removeLock()
    }

    private func removeLock() {
        // The file is removed before the lock is released, so that no other process locks the removed file.
        unlink(lockURL.path)
        lock.release()
    }
}
