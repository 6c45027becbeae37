package import Foundation

/// An open file. It is closed when the last reference to it is released.
package final class FileDescriptor: Sendable {
    package let raw: Int32
    package let path: String
    private let files: FileSystem

    /// Child processes do not inherit the descriptor (`O_CLOEXEC`). With `O_CREAT`, a symbolic link at the
    /// path is not followed, so that another user cannot redirect the write.
    package init(
        _ path: String, _ flags: Int32, mode: mode_t = 0o600, files: FileSystem = .standard
    ) throws {
        if flags & O_CREAT != 0, case .error(let code)? = files.fault(.create, path) {
            throw FileError(operation: "open", path: path, errno: code)
        }
        let noFollow = flags & O_CREAT != 0 ? O_NOFOLLOW : 0
        let raw = open(path, flags | O_CLOEXEC | noFollow, mode)
        guard raw >= 0 else { throw FileError.last("open", path) }
        self.raw = raw
        self.path = path
        self.files = files
    }

    /// Creates a temporary file without a name. It disappears with the last reference to it, or when the process
    /// ends.
    package convenience init(temporaryIn folder: URL) throws {
        let path = AtomicFile.temporaryPath(for: folder.appendingPathComponent("section").path)
        try self.init(path, O_RDWR | O_CREAT | O_EXCL)
        unlink(path)
    }

    deinit { close(raw) }

    package func status() throws -> stat {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw FileError.last("read the status of", path) }
        return status
    }

    package func size() throws -> Int { Int(try status().st_size) }

    /// Writes all bytes at the current position of the file, and continues after partial writes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        switch files.fault(.write, path, count: bytes.count) {
        case nil: try writeAll(bytes)
        case .error(let code): throw FileError(operation: "write", path: path, errno: code)
        case .shortWrite(let count, let then):
            try writeAll(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            throw FileError(operation: "write", path: path, errno: then())
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws {
        var written = 0
        while written < bytes.count {
            let count = Foundation.write(raw, bytes.baseAddress! + written, bytes.count - written)
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError.last("write", path)
            }
            written += count
        }
    }

    /// Reads `count` bytes at an offset, or fewer if the file ends before.
    package func read(at offset: Int, count: Int) throws -> Data {
        var data = Data(count: count)
        let filled = try data.withUnsafeMutableBytes { try read(at: offset, into: $0) }
        return data.prefix(filled)
    }

    /// - Returns: The number of bytes read. It is less than the size of the buffer only if the file ends
    ///   before.
    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let found = pread(raw, rest.baseAddress, rest.count, off_t(offset + filled))
            if found < 0 {
                if errno == EINTR { continue }
                throw FileError.last("read", path)
            }
            if found == 0 { break }
            filled += found
        }
        return filled
    }

    /// The size of the copy buffer in bytes, large enough to make the cost of system calls negligible.
    private static let copyBufferSize = 4 << 20

    func copy(to target: FileDescriptor) throws {
        let size = try size()
        for offset in stride(from: 0, to: size, by: Self.copyBufferSize) {
            let data = try read(at: offset, count: min(Self.copyBufferSize, size - offset))
            try data.withUnsafeBytes { try target.write($0) }
        }
    }

    /// Makes the written bytes survive a power failure (`F_FULLFSYNC` on Apple platforms, where `fsync` does
    /// not flush the drive's cache).
    package func synchronize() throws {
        try files.perform(.fsync, path, "fsync") {
            guard files.synchronizesEachFile else { return 0 }
            #if canImport(Darwin)
                if fcntl(raw, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(raw)
        }
    }

    package func truncate(to size: Int) throws {
        try files.perform(.truncate, path, "truncate") { ftruncate(raw, off_t(size)) }
    }
}

/// The identity of a file on disk, independent of its names: two paths to the same file have equal
/// identities.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Creates the identity of the file at a URL. Returns `nil` if the file does not exist.
    package init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init?(_ file: FileDescriptor) {
        guard let status = try? file.status() else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// The properties of a file by which changes are detected.
package struct FileSignature: Sendable, Hashable {
    private let identity: FileIdentity
    package let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns `nil` if the file does not exist.
    package init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        size = Int(status.st_size)
        seconds = status.modificationTime.tv_sec
        nanoseconds = status.modificationTime.tv_nsec
    }
}

extension stat {
    package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

    package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }

    package var modificationTime: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// The time of the last change of the contents or of the properties, such as the name.
    package var statusChangeTime: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}

/// Repeats calls on descriptors that this process has not opened, such as its standard input and output.
///
/// A program that shares a descriptor, such as the one that started this process, can make it non-blocking.
package enum DescriptorReadiness {
    /// Returns whether a call can be repeated that failed with the given value of `errno`. If the descriptor
    /// does not block and was not ready, waits until it is.
    ///
    /// - Parameter event: `POLLIN` for a read, `POLLOUT` for a write.
    package static func canRetry(after error: Int32, _ event: Int32, _ descriptor: Int32) -> Bool {
        if error == EINTR { return true }
        guard error == EAGAIN || error == EWOULDBLOCK else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        _ = poll(&entry, 1, -1)
        return true
    }
}
