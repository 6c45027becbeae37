import Foundation

/// A file operation that is about to be performed and that changes something on disk.
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
    /// The number of bytes of a write; 0 for the other kinds.
    package let count: Int

    package var description: String { "\(kind.rawValue) \((path as NSString).lastPathComponent)" }
}
