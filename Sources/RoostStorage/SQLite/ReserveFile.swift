import Foundation
import RoostFiles

/// A file next to the database that occupies disk space, so that entries can be removed from a store on a full
/// disk: SQLite must write to its log before it can free pages.
///
/// A commit that only removes deletes the file if the disk is full, and is then repeated. The next process that
/// opens the database for writing creates the file again if there is space.
struct ReserveFile {
    static let suffix = "-reserve"
    /// The size in bytes. A commit that removes the most entries that one commit can (1,000) writes less.
    private static let size = 4 << 20

    private let path: String

    init(of database: URL) { path = database.path + Self.suffix }

    /// Creates the file unless it exists. Errors are ignored, because only a removal on a full disk needs the
    /// file.
    func create() {
        guard let file = try? FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL) else { return }
        #if os(Linux)
            let isComplete = posix_fallocate(file.raw, 0, off_t(Self.size)) == 0
        #else
            let isComplete = (try? Data(count: Self.size).withUnsafeBytes { try file.write($0) }) != nil
        #endif
        if !isComplete { unlink(path) }
    }

    /// Deletes the file.
    ///
    /// - Returns: Whether it existed.
    func release() -> Bool { unlink(path) == 0 }
}
