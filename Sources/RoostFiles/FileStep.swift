import Foundation

/// A file operation that is about to be performed and would change something on disk.
package struct FileStep: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// Opens a file for writing, and creates it if it does not exist.
        case create
        case write
        case fsync
        case truncate
        case rename
        case link
        case unlink
        /// Creates a folder.
        case mkdir
    }

    package let kind: Kind
    package let path: String
    /// The number of bytes that a write operation writes; 0 for other operations.
    package let count: Int

    package var description: String { "\(kind.rawValue) \((path as NSString).lastPathComponent)" }
}
