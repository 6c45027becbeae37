package import Foundation

/// A folder for temporary files that only this process uses.
///
/// The folder contains a lock file that stays locked until the process ends. If the process is killed, the
/// folder remains on disk until another process of the same user creates a folder with the same prefix:
/// that process removes the folders whose lock files are not locked.
package final class LockedTemporaryFolder: Sendable {
    package let url: URL
    private let lock: FileLock

    private static let lockName = "lock"
    /// The age in seconds at which a folder without a lock file is removed. A process that is creating a
    /// folder adds the lock file within milliseconds.
    private static let maximumAgeWithoutLock = 86_400
    /// The number of attempts to lock a new folder.
    private static let maximumAttempts = 5

    /// Creates a folder whose name consists of a prefix and a random number, and removes the abandoned
    /// folders with this prefix.
    ///
    /// - Throws: ``FileError``; ``LockTimeout``.
    package init(
        prefix: String, in parent: URL = FileManager.default.temporaryDirectory
    ) throws {
        Self.removeAbandoned(prefix: prefix, in: parent)
        var attempt = 1
        while true {
            let folder = parent.appendingPathComponent(prefix + UUID().uuidString)
            try FileSystem.standard.createFolder(folder)
            do {
                lock = try FileLock.acquire(folder.appendingPathComponent(Self.lockName), timeout: 0)
                url = folder
                return
            } catch  where attempt < Self.maximumAttempts && (error is LockTimeout || error is FileError) {
                // Another process may have removed the folder before its lock file was locked.
                try? FileManager.default.removeItem(at: folder)
                attempt += 1
            }
        }
    }

    /// Removes the folder and everything in it. A failure is ignored, because a later process removes the
    /// folder.
    package func remove() {
        // The files are removed before the lock is released, so no other process removes them at the same
        // time.
        try? FileManager.default.removeItem(at: url)
        lock.release()
    }

    /// Removes the folders of processes that have ended. Failures are ignored, because the folders only take
    /// up space.
    package static func removeAbandoned(prefix: String, in parent: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else { continue }
            removeIfAbandoned(parent.appendingPathComponent(name))
        }
    }

    private static func removeIfAbandoned(_ folder: URL) {
        var status = stat()
        // Nobody else can have changed the contents of a folder that belongs to this user and that others
        // cannot write to.
        guard lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else { return }
        do {
            let path = folder.appendingPathComponent(lockName).path
            let file = try FileDescriptor(path, O_RDWR | O_NOFOLLOW)
            guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else { return }
            // The descriptor holds the lock until the folder has been removed.
            try withExtendedLifetime(file) { try FileManager.default.removeItem(at: folder) }
        } catch let error as FileError where error.isMissing {
            guard time(nil) - status.modificationTime.tv_sec > maximumAgeWithoutLock else { return }
            try? FileManager.default.removeItem(at: folder)
        } catch {
            // The folder stays until the next attempt.
        }
    }
}
