import Foundation
import RoostFiles
import RoostModel

/// The revision of the last commit, in a small file beside the database that is overwritten after each: so
/// that a log that lost its end to something else than a crash, which SQLite cannot tell from a commit that
/// was never finished, is noticed.
///
/// It is not synchronised: it may lag behind, and is ignored where it cannot be read or is of another epoch.
struct RevisionMark {
    var epoch: UUID
    var revision: Revision

    private static let size = 80

    private static func path(_ database: String) -> String { database + "-mark" }

    init(epoch: UUID, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// `nil` where there is none that can be read.
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

    /// Best effort: the commit has succeeded before.
    func write(of database: String) {
        let text = "\(epoch.uuidString) \(revision)"
        let line = "\(text) \(Self.checksum(text))"
        let padded = line + String(repeating: " ", count: max(0, Self.size - 1 - line.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(Self.path(database), O_WRONLY | O_CREAT) else { return }
        try? Array(padded.utf8).withUnsafeBytes { try file.write($0) }
    }

    /// - Throws: ``StorageError`` with `.damaged` where the database is older than its mark.
    func check(_ meta: Meta, _ database: String) throws {
        guard epoch == meta.epoch, revision > meta.revision else { return }
        throw StorageError(
            .damaged,
            "\(database) is at revision \(meta.revision); revision \(revision) had been committed: its "
                + "log has lost its end, or an older copy was put in its place. `roost doctor --repair` "
                + "goes on from what is there, as a new history")
    }

    private static func checksum(_ text: String) -> String {
        let sum = Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
        return String(sum, radix: 16)
    }
}
