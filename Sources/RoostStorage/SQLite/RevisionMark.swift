import Foundation
import RoostFiles
import RoostModel

/// The revision of the last commit. It is stored in a small file next to the database, which each commit
/// overwrites.
///
/// The mark reveals that a write-ahead log has lost its end for a reason other than a crash. SQLite itself
/// cannot distinguish a lost commit from one that was never completed. The file is not synchronized, so it
/// may be older than the database. It is ignored if it is unreadable or belongs to a different epoch.
struct RevisionMark {
    var epoch: UUID
    var revision: Revision

    /// The size of the file in bytes. It is fixed so that the file never needs to be truncated when it is
    /// overwritten.
    private static let size = 80

    private static func path(_ database: String) -> String { database + "-mark" }

    init(epoch: UUID, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Reads the mark of a database. The result is `nil` if the mark is missing or unreadable.
    init?(of database: String) {
        guard let file = try? FileDescriptor(Self.path(database), O_RDONLY),
            let data = try? file.read(at: 0, count: Self.size + 1), data.count == Self.size
        else { return nil }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        guard fields.count >= 3, let epoch = UUID(uuidString: String(fields[0])),
            let number = UInt64(fields[1]),
            fields[2].trimmingCharacters(in: .newlines) == Self.checksum("\(fields[0]) \(fields[1])")
        else { return nil }
        self.init(epoch: epoch, revision: Revision(rawValue: number))
    }

    /// Writes the mark. Errors are ignored, because the commit has already succeeded.
    func write(of database: String) {
        let text = "\(epoch.uuidString) \(revision)"
        let line = "\(text) \(Self.checksum(text))"
        let padded = line + String(repeating: " ", count: max(0, Self.size - 1 - line.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(Self.path(database), O_WRONLY | O_CREAT) else { return }
        try? Array(padded.utf8).withUnsafeBytes { try file.write($0) }
    }

    /// Returns whether the database with the given properties has lost commits.
    func isNewer(than meta: Meta) -> Bool { epoch == meta.epoch && revision > meta.revision }

    /// Compares the mark with the revision of the database.
    ///
    /// - Throws: `StorageError` with `.damaged` if the database is older than its mark.
    func check(_ meta: Meta, _ database: String) throws {
        guard isNewer(than: meta) else { return }
        throw StorageError(
            .damaged,
            "cannot open \(database): it is at revision \(meta.revision), but revision \(revision) had been "
                + "committed; its write-ahead log is truncated, or an older copy replaced it. A repair "
                + "continues from revision \(meta.revision), in a new epoch",
            remedy: .repairStore)
    }

    private static func checksum(_ text: String) -> String {
        let sum = Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
        return String(sum, radix: 16)
    }
}
