import Foundation

/// What the operating system refused: the call, the file, and `errno`.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was attempted: `open`, `write`, `fsync`, `rename`, …
    public let operation: String
    public let path: String
    public let errno: Int32

    public init(operation: String, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// `cannot open /a/b: Permission denied`
    public var description: String { "cannot \(operation) \(path): \(String(cString: strerror(errno)))" }

    /// Whether there is no such file or folder.
    public var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }

    static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, errno: Foundation.errno)
    }
}
