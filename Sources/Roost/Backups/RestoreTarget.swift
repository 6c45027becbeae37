import Foundation
import RoostChunks
import RoostFiles
import RoostModel

/// The folder into which one process restores a backup.
///
/// The files are written into a folder next to it, which replaces the empty folder in one step when they are
/// complete.
struct RestoreTarget {
    /// The folder that becomes a store.
    let directory: URL
    /// The folder that receives the files.
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
