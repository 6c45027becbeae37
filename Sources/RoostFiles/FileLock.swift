public import Foundation

/// A lock between processes, and between handles of one process: `flock` on a file of its own.
///
/// The system lets go of it when its holder dies, however it dies. `flock` is chosen over `fcntl` locks
/// because those are lost when any descriptor of the file is closed in the process. The file says who holds
/// the lock, for people.
public final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// Takes the lock, waiting for it. Blocks its thread: call it on a thread of one's own.
    ///
    /// - Parameters:
    ///   - timeout: the most seconds to wait.
    ///   - isCancelled: asked while waiting; `true` ends it with `CancellationError`.
    /// - Throws: ``LockTimeout`` naming the holder; ``FileError``.
    public static func acquire(
        _ url: URL, timeout: TimeInterval, isCancelled: () -> Bool = { false }
    ) throws -> FileLock {
        var file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
        let deadline = Date().addingTimeInterval(timeout)
        var pause: useconds_t = 200
        while true {
            if flock(file.raw, LOCK_EX | LOCK_NB) == 0 {
                // Somebody may have removed the file meanwhile: then this is a lock on nothing.
                if FileIdentity(url) == FileIdentity(file) { break }
                file = try FileDescriptor(url.path, O_RDWR | O_CREAT)
                errno = EWOULDBLOCK
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError.last("lock", url.path) }
            if isCancelled() { throw CancellationError() }
            guard Date() < deadline else {
                let holder = try? String(decoding: file.read(at: 0, count: 256), as: UTF8.self)
                throw LockTimeout(
                    path: url.path, holder: holder?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "",
                    seconds: timeout)
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
        let lock = FileLock(file)
        let holder = Array("process \(getpid()) (\(ProcessInfo.processInfo.processName))\n".utf8)
        try file.truncate(to: 0)
        _ = holder.withUnsafeBytes { pwrite(file.raw, $0.baseAddress!, $0.count, 0) }
        return lock
    }

    /// Keeps writers out for a moment, if none is at work: a shared lock, taken without waiting.
    ///
    /// - Returns: `nil` where somebody holds the lock.
    /// - Throws: ``FileError`` where there is no lock file that could be opened.
    public static func shared(_ url: URL) throws -> FileLock? {
        let file = try FileDescriptor(url.path, O_RDONLY)
        return flock(file.raw, LOCK_SH | LOCK_NB) == 0 ? FileLock(file) : nil
    }

    /// Lets go of the lock; so does the last reference's end.
    public func release() { _ = flock(file.raw, LOCK_UN) }

    deinit { release() }
}

/// A lock that somebody else held for too long.
public struct LockTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// Who holds it, as the lock file says; empty where it does not.
    public let holder: String
    public let seconds: TimeInterval

    public var description: String {
        let who = holder.isEmpty ? "another process" : holder
        return "\(path) has been locked by \(who) for \(Int(seconds)) s"
    }
}
