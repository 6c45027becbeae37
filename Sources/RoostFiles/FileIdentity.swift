package import Foundation

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

    /// Creates the identity of an open file.
    package init?(_ file: FileDescriptor) {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
