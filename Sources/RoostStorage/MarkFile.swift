import Foundation
import RoostFiles
import RoostModel

/// A small file that each commit overwrites with numbers that describe the last commit.
///
/// The file reveals that the end of a log was lost for a reason other than a crash. It is not synchronized, so it
/// may be older than the log, and it is ignored if it is unreadable. It consists of fields, separated by spaces,
/// and their CRC-32C.
struct MarkFile {
    let path: String
    /// The size of the file in bytes. It is fixed, so that the file never needs to be truncated.
    let size: Int

    func read() -> [String]? {
        guard let file = try? FileDescriptor(path, O_RDONLY),
            let data = try? file.read(at: 0, count: size + 1), data.count == size
        else { return nil }
        let fields = String(decoding: data, as: UTF8.self)
            .split { $0 == " " || $0 == "\n" }.map(String.init)
        let text = fields.dropLast().joined(separator: " ")
        return fields.last == Self.checksum(text) ? fields.dropLast() : nil
    }

    /// Writes the fields. Errors are ignored, because the commit has already succeeded.
    func write(_ fields: [String], files: FileSystem = .standard) {
        let text = fields.joined(separator: " ")
        let line = "\(text) \(Self.checksum(text))"
        let padded = line + String(repeating: " ", count: max(0, size - 1 - line.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(path, O_WRONLY | O_CREAT, files: files) else { return }
        try? Array(padded.utf8).withUnsafeBytes { try file.write($0) }
    }

    private static func checksum(_ text: String) -> String {
        Hexadecimal.text(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }, count: 8)
    }
}

/// The revision of the last commit, in a ``MarkFile`` next to the database. SQLite itself cannot distinguish a
/// lost commit from one that was never completed. A mark of a different epoch is ignored.
struct RevisionMark {
    var epoch: UUID
    var revision: Revision

    private static func file(of database: String) -> MarkFile { MarkFile(path: database + "-mark", size: 80) }

    init(epoch: UUID, revision: Revision) { (self.epoch, self.revision) = (epoch, revision) }

    init?(of database: String) {
        guard let fields = Self.file(of: database).read(), fields.count == 2,
            let epoch = UUID(uuidString: fields[0]), let number = UInt64(fields[1])
        else { return nil }
        self.init(epoch: epoch, revision: Revision(rawValue: number))
    }

    func write(of database: String) {
        Self.file(of: database).write([epoch.uuidString, "\(revision)"])
    }

    /// Returns the mark if the database has lost the commit that it states.
    ///
    /// The mark is read before the database, so that a commit between the two reads cannot make it newer.
    ///
    /// - Parameter meta: Reads the properties of the database. Its transaction must not have read anything yet.
    static func lost(
        by database: String, _ meta: () throws -> Meta
    ) throws -> (mark: RevisionMark, meta: Meta)? {
        guard let mark = RevisionMark(of: database) else { return nil }
        let meta = try meta()
        return mark.epoch == meta.epoch && mark.revision > meta.revision ? (mark, meta) : nil
    }

    /// - Throws: `StorageError` with `.damaged` if the database has lost commits.
    static func check(_ database: String, _ meta: () throws -> Meta) throws {
        guard let (mark, meta) = try lost(by: database, meta) else { return }
        throw StorageError(
            .damaged,
            "cannot open \(database): it is at revision \(meta.revision), but revision \(mark.revision) had "
                + "been committed; its write-ahead log is truncated, or an older copy replaced it. A repair "
                + "continues from revision \(meta.revision), in a new epoch",
            remedy: .repairStore)
    }
}
