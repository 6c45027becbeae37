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
    /// The file that lists the files that are being moved into the folder. It shows the next restoration
    /// which files belong to an interrupted one. Each line has the identity of a file, which does not change
    /// when the file is moved, and its name.
    private static let listName = ".restore.names"

    /// Returns whether a restoration into a folder is running or was interrupted.
    static func isIncomplete(_ directory: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.contains { $0.hasPrefix(stagingPrefix) }
    }

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
                "cannot restore into \(directory.path): another process is restoring a backup there",
                isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
        do {
            let names = try manager.contentsOfDirectory(atPath: directory.path)
            // This process holds the lock, so the processes that created the existing staging folders have
            // ended.
            let listed = try StorageError.mappingFileErrors {
                try Self.interruptedNames(in: directory)
            }
            let abandoned = names.filter { $0.hasPrefix(Self.stagingPrefix) || listed.contains($0) }
            guard names.allSatisfy({ $0 == Self.lockName || abandoned.contains($0) }) else {
                throw RoostError(
                    .configuration,
                    "cannot restore into \(directory.path): the folder contains files; name a new or empty "
                        + "folder")
            }
            for name in abandoned where name != Self.listName {
                try manager.removeItem(at: directory.appendingPathComponent(name))
            }
            // The list is removed last, so that this step can be interrupted, too.
            unlink(directory.appendingPathComponent(Self.listName).path)
            try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(staging) }
        } catch {
            removeLock()
            throw error
        }
    }

    /// Returns the identity of a file: the number of its inode and, because numbers are used again after a
    /// file has been deleted, its size and the time of its last change. `nil` if the file does not exist.
    private static func identity(of url: URL) -> String? {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return "\(status.st_ino)" }
        let time = status.modificationTime
        return "\(status.st_ino):\(status.st_size):\(time.tv_sec):\(time.tv_nsec)"
    }

    /// Returns the names of the files that an interrupted restoration has moved into the folder or was
    /// writing there, including the list itself.
    ///
    /// - Throws: `FileError`.
    private static func interruptedNames(in directory: URL) throws -> Set<String> {
        let temporary = AtomicFile.leftovers(in: directory).filter {
            $0.hasPrefix(".\(listName).") || $0.hasPrefix(".\(StoreManifest.fileName).")
        }
        let data: Data
        do {
            let file = try FileDescriptor(directory.appendingPathComponent(listName).path, O_RDONLY)
            data = try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return Set(temporary)
        }
        let moved = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, ![".", ".."].contains(parts[1]), !parts[1].contains("/"),
                String(parts[0]) == identity(of: directory.appendingPathComponent(String(parts[1])))
            else { return String?.none }
            return String(parts[1])
        }
        return Set(moved + temporary + [listName])
    }

    /// Makes all files durable and moves them into the folder. Blocks the calling thread.
    ///
    /// If the process ends before the manifest has been written, the next restoration into the folder removes
    /// these files.
    func complete() throws {
        try StorageError.mappingFileErrors {
            try FileSystem.synchronizeAll(around: staging)
            let names = try FileManager.default.contentsOfDirectory(atPath: staging.path)
            let lines = names.map { name in
                "\(Self.identity(of: staging.appendingPathComponent(name)) ?? "") \(name)\n"
            }
            try AtomicFile.write(
                Data(lines.joined().utf8), to: directory.appendingPathComponent(Self.listName))
            for name in names {
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
        // If the process ends before this, the list has no effect on the complete store.
        unlink(directory.appendingPathComponent(Self.listName).path)
        rmdir(staging.path)
        removeLock()
    }

    /// Removes the files that this restoration created, and the folder if the restoration created it.
    func discard() {
        for name in moved.withLock({ $0 }) {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
        try? FileManager.default.removeItem(at: staging)
        unlink(directory.appendingPathComponent(Self.listName).path)
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
