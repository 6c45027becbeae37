public import Foundation

/// An open file; closed when the last reference goes.
public final class FileDescriptor: Sendable {
    public let raw: Int32
    public let path: String
    private let files: FileSystem

    /// Opens a file. It is closed in child programs, and a symbolic link in its place is not followed where
    /// it is to be created.
    public init(
        _ path: String, _ flags: Int32, mode: mode_t = 0o600, files: FileSystem = .standard
    ) throws {
        if flags & O_CREAT != 0, case .error(let code)? = files.fault(.create, path) {
            throw FileError(operation: "open", path: path, errno: code)
        }
        let created = flags & O_CREAT != 0 ? O_NOFOLLOW : 0
        let raw = open(path, flags | O_CLOEXEC | created, mode)
        guard raw >= 0 else { throw FileError.last("open", path) }
        self.raw = raw
        self.path = path
        self.files = files
    }

    deinit { close(raw) }

    /// Its length in bytes.
    public func size() throws -> Int {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw FileError.last("look at", path) }
        return Int(status.st_size)
    }

    /// Writes all bytes at the file's position; a partial write is continued.
    public func write(_ bytes: UnsafeRawBufferPointer) throws {
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

    /// Up to `count` bytes from an offset; fewer at the end of the file.
    public func read(at offset: Int, count: Int) throws -> Data {
        var data = Data(count: count)
        let filled = try data.withUnsafeMutableBytes { try read(at: offset, into: $0) }
        return data.prefix(filled)
    }

    /// Fills a buffer from an offset.
    ///
    /// - Returns: how many bytes there were; fewer than the buffer takes at the end of the file.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
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

    /// Makes what was written survive a loss of power (`F_FULLFSYNC` where there is one).
    public func synchronize() throws {
        if case .error(let code)? = files.fault(.fsync, path) {
            throw FileError(operation: "fsync", path: path, errno: code)
        }
        guard files.synchronizesEach else { return }
        #if canImport(Darwin)
            if fcntl(raw, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(raw) == 0 else { throw FileError.last("fsync", path) }
    }

    /// Cuts the file.
    public func truncate(to size: Int) throws {
        if case .error(let code)? = files.fault(.truncate, path) {
            throw FileError(operation: "truncate", path: path, errno: code)
        }
        guard ftruncate(raw, off_t(size)) == 0 else { throw FileError.last("truncate", path) }
    }
}
