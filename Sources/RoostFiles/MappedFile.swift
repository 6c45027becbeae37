public import Foundation

/// A file's bytes in memory, read from disk where they are touched. The file must not be cut while it is
/// mapped.
///
/// Unchecked because it holds a pointer; the bytes are mapped read-only and live as long as this object.
public final class MappedFile: @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer
    public let path: String
    /// When the mapped file was last written, in milliseconds; `nil` where the system does not say.
    public let modifiedMilliseconds: Int64?

    public init(_ url: URL) throws {
        path = url.path
        // A pipe in the file's place is no file, and is not waited for.
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        let size = try file.size()
        var status = stat()
        // Of the open file: another may have its name by now.
        modifiedMilliseconds =
            fstat(file.raw, &status) == 0
            ? Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000 : nil
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(operation: "map", path: path, errno: EINVAL)
        }
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.raw, 0), base != MAP_FAILED else {
            throw FileError.last("map", path)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: size)
    }

    deinit {
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }
}
