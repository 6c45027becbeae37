package import Foundation

/// A file mapped into memory read-only; the system reads its bytes from disk on access. The file must not be
/// shortened while it is mapped.
///
/// `Sendable` is unchecked because the class holds a pointer. The bytes that it points to are never written
/// and live as long as this object.
package final class MappedFile: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer
    package let path: String
    /// The time of the last modification, in milliseconds since 1970; `nil` if the system does not report it.
    package let modifiedMilliseconds: Int64?

    /// Maps a file into memory.
    ///
    /// - Throws: ``FileError``, with `EINVAL` if the URL names something other than a regular file.
    package init(_ url: URL) throws {
        path = url.path
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        let size = try file.size()
        var status = stat()
        // Reads the time from the descriptor, because the path may refer to another file by now.
        modifiedMilliseconds =
            fstat(file.raw, &status) == 0 ? Self.milliseconds(status.modificationTime) : nil
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

    /// Returns a time in milliseconds; `nil` if it is too far from 1970, which some file systems permit.
    private static func milliseconds(_ time: timespec) -> Int64? {
        let (seconds, hasOverflowed) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
        let (sum, exceeds) = seconds.addingReportingOverflow(Int64(time.tv_nsec) / 1_000_000)
        return hasOverflowed || exceeds ? nil : sum
    }

    deinit {
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }
}
