import Foundation
import RoostModel

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

    /// Returns whether the database with the given properties has lost commits.
    func isNewer(than meta: Meta) -> Bool { epoch == meta.epoch && revision > meta.revision }

    func check(_ meta: Meta, _ database: String) throws {
        guard isNewer(than: meta) else { return }
        throw StorageError(
            .damaged,
            "cannot open \(database): it is at revision \(meta.revision), but revision \(revision) had been "
                + "committed; its write-ahead log is truncated, or an older copy replaced it. A repair "
                + "continues from revision \(meta.revision), in a new epoch",
            remedy: .repairStore)
    }
}
