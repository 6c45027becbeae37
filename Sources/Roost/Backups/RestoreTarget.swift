import Foundation
import RoostBackups
import RoostFiles
import RoostModel
import Synchronization

/// The folder into which one process restores a backup.
///
/// The files are written into a subfolder, which no other process uses. They are moved into the folder when
/// they are complete.
final class RestoreTarget: Sendable {
    /// The folder that becomes a store.
    let directory: URL
    /// The subfolder that receives the files first.
    let staging: URL
    private let lock: FileLock
    private let lockURL: URL
    private let isNew: Bool
    /// The names that have been moved into ``directory``.
    private let moved = Mutex<[String]>([])

    private static let lockName = ".restore.lock"
    private static let stagingPrefix = ".restore-"

    /// Locks a folder that is new or empty.
    ///
    /// - Throws: ``RoostError`` with `.configuration` if the folder contains files; `BackupError` with
    ///   `.locked` if another process restores into it; `StorageError`.
    init(_ directory: URL) throws {
        self.directory = directory
        lockURL = directory.appendingPathComponent(Self.lockName)
        staging = directory.appendingPathComponent(Self.stagingPrefix + UUID().uuidString.lowercased())
        let manager = FileManager.default
        isNew = !manager.fileExists(atPath: directory.path)
        do {
            try FileSystem.standard.createFolder(directory)
            lock = try FileLock.acquire(lockURL, timeout: 0)
        } catch is LockTimeout {
            throw BackupError(
                .locked,
                "cannot restore into \(directory.path): another process restores a backup into this folder",
                isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
        do {
            let names = try manager.contentsOfDirectory(atPath: directory.path)
            // This process holds the lock, so the processes that created the existing staging folders have
            // ended.
            let abandoned = names.filter { $0.hasPrefix(Self.stagingPrefix) }
            guard names.allSatisfy({ $0 == Self.lockName || abandoned.contains($0) }) else {
                throw RoostError(
                    .configuration,
                    "cannot restore into \(directory.path): the folder contains files; name a new or empty "
                        + "folder")
            }
            for name in abandoned { try manager.removeItem(at: directory.appendingPathComponent(name)) }
            try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(staging) }
        } catch {
            removeLock()
            throw error
        }
    }

    /// Makes all files durable and moves them into the folder. Blocks the calling thread.
    func complete() throws {
        try StorageError.mappingFileErrors {
            try FileSystem.synchronizeAll(around: staging)
            for name in try FileManager.default.contentsOfDirectory(atPath: staging.path) {
                try FileSystem.standard.rename(
                    staging.appendingPathComponent(name).path,
                    to: directory.appendingPathComponent(name).path)
                moved.withLock { $0.append(name) }
            }
            try FileSystem.standard.synchronizeFolder(directory)
        }
    }

    /// Removes the empty subfolder and the lock after the restoration has succeeded.
    func finish() {
        rmdir(staging.path)
        removeLock()
    }

    /// Removes the files that this restoration created, and the folder if the restoration created it.
    func discard() {
        for name in moved.withLock({ $0 }) {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
        try? FileManager.default.removeItem(at: staging)
        removeLock()
        // This fails if another program has written into the folder.
        if isNew { rmdir(directory.path) }
    }

    private func removeLock() {
        // The file is removed before the lock is released, so that no other process locks the removed file.
        unlink(lockURL.path)
        lock.release()
    }
}
