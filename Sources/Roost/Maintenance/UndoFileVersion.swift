import Foundation
import RoostFiles

/// The version of the file of an undo record, which tells whether another commit has been recorded since the
/// file was read.
struct UndoFileVersion: Sendable, Hashable {
    /// The number of bytes, because a file of the same group only becomes longer.
    private let size: Int
    /// The start of the first line with its checksum, which depends on the id of the group.
    private let start: Data

    private static let startLength = 64

    /// Creates the version of a file with the given contents.
    init(_ contents: Data) {
        (size, start) = (contents.count, contents.prefix(Self.startLength))
    }

    /// Reads the version of a file. Returns `nil` if the file does not exist or cannot be read.
    init?(_ url: URL) {
        guard let file = try? FileDescriptor(url.path, O_RDONLY), let size = try? file.size(),
            let start = try? file.read(at: 0, count: Self.startLength)
        else { return nil }
        (self.size, self.start) = (size, start)
    }
}
