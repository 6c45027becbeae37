import Foundation
import RoostFiles
import RoostModel

/// Replaces a database file and its log with another database.
///
/// A marker file next to the database contains the name of the new file until the replacement is complete. If
/// the process ends before that, the next process that opens the database completes the replacement.
struct DatabaseReplacement {
    private let url: URL
    private let files = FileSystem.standard
    /// The first bytes of every SQLite database (https://sqlite.org/fileformat.html).
    private static let header = Data("SQLite format 3\0".utf8)

    init(of url: URL) { self.url = url }

    static let repairedPrefix = "repaired-"

    var isPending: Bool { FileManager.default.fileExists(atPath: marker.path) }

    private var marker: URL { URL(fileURLWithPath: url.path + "-replacing") }

    /// Replaces the database. Before the call, the caller must have copied the old files, and closed and
    /// synchronized the new database.
    ///
    /// - Atomicity: The replacement is committed when the marker file has been written.
    func begin(with replacement: URL) throws {
        try AtomicFile.write(Data(replacement.lastPathComponent.utf8), to: marker, files: files)
        try finish()
    }

    /// Returns the file with the current contents of the database: the new database while a replacement is
    /// pending, because the replacement is committed when the marker has been written.
    func current() throws -> URL {
        guard let replacement = try replacement(), try isDatabase(replacement) else { return url }
        return replacement
    }

    func finish() throws {
        guard let replacement = try replacement() else { return }
        let folder = url.deletingLastPathComponent()
        if try isDatabase(replacement) {
            // SQLite must not apply the log of the old database to the new one.
            for suffix in ["-wal", "-shm", "-mark"] { try files.unlink(url.path + suffix) }
            try files.synchronizeFolder(folder)
            try files.rename(replacement.path, to: url.path)
            try files.synchronizeFolder(folder)
        }
        for suffix in ["-wal", "-shm", "-mark", ".lock"] { try files.unlink(replacement.path + suffix) }
        try files.unlink(marker.path)
        try files.synchronizeFolder(folder)
    }

    private func replacement() throws -> URL? {
        let name: String
        do {
            let file = try FileDescriptor(marker.path, O_RDONLY)
            name = String(decoding: try file.read(at: 0, count: 1024), as: UTF8.self)
        } catch let error as FileError where error.isMissing {
            return nil
        }
        guard name.hasPrefix(Self.repairedPrefix), name.hasSuffix(".sqlite"), !name.contains("/") else {
            throw StorageError(
                .damaged,
                "cannot complete the repair of \(url.path): \(marker.path) does not name a repaired "
                    + "database; move it away and try again")
        }
        return url.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Returns whether the new database still has its own name. The result is `false` if it has already been
    /// renamed.
    private func isDatabase(_ replacement: URL) throws -> Bool {
        let head: Data
        do {
            head = try FileDescriptor(replacement.path, O_RDONLY).read(at: 0, count: Self.header.count)
        } catch let error as FileError where error.isMissing {
            return false
        }
        guard head == Self.header else {
            throw StorageError(
                .damaged,
                "cannot complete the repair of \(url.path): \(replacement.path), which \(marker.path) names, "
                    + "is not a database; move both files away and try again")
        }
        return true
    }
}
