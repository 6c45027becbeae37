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

    /// The initial pause between two attempts to take the lock, in microseconds. It doubles after each
    /// attempt.
    private static let minimumPause: useconds_t = 200
    /// The maximum pause in microseconds. A waiting process notices a released lock within this time.
    private static let maximumPause: useconds_t = 10_000
    /// The pause in microseconds after ``patience``. Writers that commit without a break release the lock
    /// only for a moment, which a process with longer pauses could miss for a long time on a busy machine.
    private static let impatientPause: useconds_t = 500
    /// The number of seconds after which the pauses become shorter.
    private static let patience: TimeInterval = 1

    /// Takes the lock, and waits for it if another process holds it. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - timeout: The maximum number of seconds to wait, limited to 20 days.
    ///   - isCancelled: Called while waiting; if it returns `true`, the method throws `CancellationError`.
    /// - Throws: ``LockTimeout``, which names the holder; ``FileError``.
    package static func acquire(
        _ url: URL, timeout: TimeInterval, isCancelled: () -> Bool = { false }
    ) throws -> FileLock {
        var file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
        let timeout = timeout.asTimeout
        // The time of day may change while the process waits.
        let start = DispatchTime.now()
        let (deadline, impatience) = (start + timeout, start + patience)
        var pause = minimumPause
        while true {
            if flock(file.raw, LOCK_EX | LOCK_NB) == 0 {
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
            pause = DispatchTime.now() < impatience ? min(pause * 2, maximumPause) : impatientPause
        }
        let lock = FileLock(file)
        let holder = Array("process \(getpid()) (\(ProcessInfo.processInfo.processName))\n".utf8)
        try file.truncate(to: 0)
        _ = holder.withUnsafeBytes { pwrite(file.raw, $0.baseAddress!, $0.count, 0) }
        return lock
    }

    /// Tries to take a shared lock without waiting. The lock keeps writers out until it is released.
    ///
    /// - Returns: `nil` if a writer holds the lock, or the file system does not support locks.
    /// - Throws: ``FileError`` if the lock file cannot be opened.
    package static func shared(_ url: URL) throws -> FileLock? {
        let file = try FileDescriptor(url.path, O_RDONLY)
        return flock(file.raw, LOCK_SH | LOCK_NB) == 0 ? FileLock(file) : nil
    }

    /// Releases the lock, as the deinitializer also does.
    package func release() { _ = flock(file.raw, LOCK_UN) }

    deinit { release() }
}
