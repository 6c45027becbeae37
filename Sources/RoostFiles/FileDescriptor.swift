package import Foundation

/// An open file. It is closed when the last reference to it is released.
package final class FileDescriptor: Sendable {
    package let raw: Int32
    package let path: String
    private let files: FileSystem

    /// Opens a file.
    ///
    /// Child processes do not inherit the descriptor (`O_CLOEXEC`). With `O_CREAT`, a symbolic link at the
    /// path is not followed, so that another user cannot redirect the write.
    ///
    /// - Throws: ``FileError``.
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

    deinit { close(raw) }

    /// Returns the length of the file in bytes.
    package func size() throws -> Int {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw FileError.last("read the size of", path) }
        return Int(status.st_size)
    }

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

    /// Fills a buffer with the bytes at an offset.
    ///
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

    /// Makes the written bytes survive a power failure (`F_FULLFSYNC` on Apple platforms, where `fsync` does
    /// not flush the drive's cache).
    package func synchronize() throws {
        if case .error(let code)? = files.fault(.fsync, path) {
            throw FileError(operation: "fsync", path: path, errno: code)
        }
        guard files.synchronizesEachFile else { return }
        #if canImport(Darwin)
            if fcntl(raw, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(raw) == 0 else { throw FileError.last("fsync", path) }
    }

    /// Shortens the file to the given size.
    package func truncate(to size: Int) throws {
        if case .error(let code)? = files.fault(.truncate, path) {
            throw FileError(operation: "truncate", path: path, errno: code)
        }
        guard ftruncate(raw, off_t(size)) == 0 else { throw FileError.last("truncate", path) }
    }
}
