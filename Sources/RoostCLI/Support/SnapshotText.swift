import ArgumentParser
import Foundation
import Roost
import RoostChunks
import Synchronization

/// The output for a snapshot, as JSON or as one line of text.
struct BackupDocument: Encodable {
    var id: String
    var created: String
    var tags: [String]
    var stamp: Stamp
    var sources: Int
    /// The number of original files that are stored byte for byte.
    var documents: Int
    var documentBytes: Int
    var writtenBytes: Int?

    init(_ snapshot: BackupSnapshot, written: Int? = nil) {
        id = snapshot.id
        created = DateText.string(from: snapshot.created)
        tags = snapshot.tags
        stamp = snapshot.stamp
        sources = snapshot.sourceCount
        documents = snapshot.originalCount
        documentBytes = snapshot.originalBytes
        writtenBytes = written
    }

    /// The minimum width of a terminal on which the minute of a snapshot is shown.
    private static let minimumWidth = 45
    private static let isNarrow = Terminal.columns.map { $0 < minimumWidth } ?? false

    /// The columns of lists of snapshots.
    static let columns = [
        EntryRow.idColumn,
        // Tables show the minute, or only the day if the terminal has no space for it.
        TableColumn(name: "created", shownLength: isNarrow ? 10 : 16),
        TableColumn(name: "entries", isNumber: true), TableColumn(name: "clusters", isNumber: true),
        TableColumn(name: "tags", style: .dim, isFlexible: true),
    ]

    var row: ListRow {
        ListRow(
            cells: [
                id, created, "\(stamp.entryCount)", "\(stamp.clusterCount)",
                tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", "),
            ], document: self)
    }

    var line: String {
        "\(id.prefix(8))  \(created)  \(Count.text(stamp.entryCount, "entry", "entries")), "
            + Count.text(stamp.clusterCount, "cluster")
            + (tags.isEmpty
                ? "" : "  " + Terminal.dim(tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", ")))
    }
}

/// Collects the parts of a snapshot that a restoration skipped.
final class BackupLosses: Sendable {
    private let all = Mutex<[BackupLoss]>([])

    func add(_ loss: BackupLoss) { all.withLock { $0.append(loss) } }

    var isEmpty: Bool { all.withLock { $0.isEmpty } }

    /// One line for each kind of loss, with the names that are known.
    var lines: [String] {
        let losses = all.withLock { $0 }
        return BackupLoss.Part.allCases.compactMap { part in
            let lost = losses.filter { $0.part == part }
            guard !lost.isEmpty else { return nil }
            let count = lost.reduce(0) { $0 + $1.count }
            let names = lost.flatMap(\.names)
            let list = names.isEmpty ? "" : ": " + names.joined(separator: " ")
            return "missing: \(Self.text(part, count))\(list)"
        }
    }

    private static func text(_ part: BackupLoss.Part, _ count: Int) -> String {
        switch part {
        case .entries: Count.text(count, "entry", "entries")
        case .vectors:
            "the vectors of \(Count.text(count, "entry", "entries")), which `roost doctor --repair` computes"
        case .assignments: "the clusters of \(Count.text(count, "entry", "entries"))"
        case .clusters: Count.text(count, "cluster")
        case .sources: Count.text(count, "record of a source", "records of sources")
        case .run: "the record of the last clustering run"
        case .originals: Count.text(count, "original file")
        case .originalLists: Count.text(count, "list of original files", "lists of original files")
        }
    }
}

/// The snapshot that an argument selects, and the snapshots that could not be read meanwhile.
struct SnapshotChoice {
    let snapshot: BackupSnapshot
    /// The snapshots that cannot be read, one of which may be newer than ``snapshot``; empty unless the
    /// argument is `latest`.
    let unreadable: [BackupSnapshotList.Unreadable]

    /// Selects a snapshot.
    init(_ argument: String, in repository: BackupRepository) async throws {
        guard argument == "latest" else {
            snapshot = try await repository.snapshot(argument)
            unreadable = []
            return
        }
        let list = try await repository.snapshotList()
        snapshot = try list.latest()
        unreadable = list.unreadable
    }

    /// Prints a message for each snapshot that could not be read, and ends the command with a status that
    /// reports them.
    func reportUnreadable() throws { try Self.report(unreadable, "; it may be newer than the one used here") }

    /// Prints a message for each snapshot of a list that cannot be read, and ends the command with a status
    /// that reports them.
    static func reportUnreadable(_ list: BackupSnapshotList) throws { try report(list.unreadable, "") }

    private static func report(_ unreadable: [BackupSnapshotList.Unreadable], _ consequence: String) throws {
        guard !unreadable.isEmpty else { return }
        for snapshot in unreadable {
            let isDamaged = snapshot.error.code == .damaged
            let step =
                isDamaged
                ? "remove it with `roost backup forget \(snapshot.id.prefix(12))`"
                : "upgrade Roost to read it"
            Terminal.error("roost: \(snapshot.error.message)\(consequence); \(step)")
        }
        throw ExitCode(ExitStatus.badData.rawValue)
    }
}
