import Foundation

/// The error of a file operation that the operating system rejected.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation, as a verb: `open`, `write`, `fsync`, `rename`, …
    package let operation: String
    package let path: String
    package let errno: Int32

    package init(operation: String, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The error message, for example `cannot open /a/b: Permission denied`.
    package var description: String {
        // The system's text does not state which of the two paths of an operation is a folder.
        let cause =
            errno == EISDIR
            ? "it is a folder, not a file; move it away" : String(cString: strerror(errno))
        return "cannot \(operation) \(path): \(cause)"
    }

    /// Whether the file or a folder on the path to it does not exist.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }

    /// Whether this process lacks a permission for the operation.
    package var deniesPermission: Bool { [EACCES, EPERM].contains(errno) }

    /// Whether this process may not write to the file or folder.
    package var deniesWriting: Bool { deniesPermission || errno == EROFS }

    static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, errno: Foundation.errno)
    }
}
