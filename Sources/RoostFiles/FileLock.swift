import Dispatch
package import Foundation

/// An exclusive lock between processes, and between handles of one process: `flock` on a separate file.
///
/// The operating system releases the lock when the process ends, even if it crashes. `flock` is used instead
/// of `fcntl` locks because those are lost when the process closes any descriptor of the file. The lock file
/// contains the name of the holder, for error messages.
package final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// The pause between two attempts to take the lock, in microseconds. Writers that commit without a break
    /// release the lock only for a moment, which a process with longer pauses could miss for a long time.
    private static let pause: useconds_t = 500

    /// Takes the lock, and waits for it if another process holds it. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - timeout: The maximum number of seconds to wait, limited to 20 days.
    ///   - isShared: Whether other processes may hold the lock, too, if they share it.
    /// - Throws: ``LockTimeout``, which names the holder; ``FileError``.
    package static func acquire(
        _ url: URL, timeout: TimeInterval, isShared: Bool = false, isCancelled: () -> Bool = { false }
    ) throws -> FileLock {
        var file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
        let timeout = timeout.asTimeout
        // The time of day may change while the process waits.
        let deadline = DispatchTime.now() + timeout
        while true {
            if flock(file.raw, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 {
                // If another process removed or replaced the lock file after it was opened here, the locked
                // file is no longer the one that other processes open, so the lock has no effect.
                if FileIdentity(url) == FileIdentity(file) { break }
                file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
                errno = EWOULDBLOCK
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError.last("lock", url.path) }
            if isCancelled() { throw CancellationError() }
            guard DispatchTime.now() < deadline else {
                let holder = try? String(decoding: file.read(at: 0, count: 256), as: UTF8.self)
                throw LockTimeout(
                    path: url.path, holder: holder?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "",
                    seconds: timeout)
            }
            usleep(pause)
        }
        let lock = FileLock(file)
        guard !isShared else { return lock }
        let holder = Array("process \(getpid()) (\(ProcessInfo.processInfo.processName))\n".utf8)
        try file.truncate(to: 0)
        _ = holder.withUnsafeBytes { pwrite(file.raw, $0.baseAddress!, $0.count, 0) }
        return lock
    }

    /// Tries to take a shared lock without waiting. The lock keeps writers out until it is released.
    ///
    /// - Returns: `nil` if a writer holds the lock, or the file system does not support locks.
    package static func shared(_ url: URL) throws -> FileLock? {
        let file = try FileDescriptor(url.path, O_RDONLY)
        return flock(file.raw, LOCK_SH | LOCK_NB) == 0 ? FileLock(file) : nil
    }

    package func release() { _ = flock(file.raw, LOCK_UN) }

    deinit { release() }
}

/// The error thrown when another process holds a lock for longer than the timeout.
package struct LockTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    /// The process number and the name of the holder, as found in the lock file, or an empty string if the
    /// file does not contain them.
    package let holder: String
    package let seconds: TimeInterval

    package var description: String {
        let process = holder.isEmpty ? "another process" : holder
        return "\(path) has been locked by \(process) for \(Int(seconds)) s"
    }
}

extension TimeInterval {
    /// The longest time for which a call waits, in seconds: 20 days. SQLite counts milliseconds in 32 bits.
    private static let maximumWait: TimeInterval = 20 * 86_400

    /// The value as a time for which a call waits: from 0 to 20 days, so that `infinity` waits for 20 days. A
    /// value that is not a number is 0.
    package var asTimeout: TimeInterval { self > 0 ? Swift.min(self, Self.maximumWait) : 0 }
}

/// A folder for temporary files that only this process uses.
///
/// The folder contains a lock file that stays locked until the process ends. If the process is killed, the
/// folder remains on disk until another process of the same user creates a folder with the same prefix:
/// that process removes the folders whose lock files are not locked.
package final class LockedTemporaryFolder: Sendable {
    package let url: URL
    private let lock: FileLock

    private static let lockName = "lock"
    private static let maximumAttempts = 5

    /// Creates a folder whose name consists of a prefix and a random number, and removes the abandoned
    /// folders with this prefix.
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
            let folder = parent.appendingPathComponent(name)
            // Nobody else can have changed the contents of a folder that belongs to this user and that others
            // cannot write to.
            guard UUID(uuidString: String(name.dropFirst(prefix.count))) != nil,
                let status = try? FileSystem.status(of: folder.path), status.isFolder,
                status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0,
                let file = try? FileDescriptor("\(folder.path)/\(lockName)", O_RDWR | O_NOFOLLOW),
                flock(file.raw, LOCK_EX | LOCK_NB) == 0
            else { continue }
            // The descriptor holds the lock until the folder has been removed.
            withExtendedLifetime(file) { try? FileManager.default.removeItem(at: folder) }
        }
    }
}
