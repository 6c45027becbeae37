import Foundation
import Roost
import RoostBackups
import Synchronization

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
        case .sources:
            Count.text(count, "record of a source", "records of sources")
                + ", which the next ingest reads as new"
        case .run: "the record of the last clustering run"
        case .originals: Count.text(count, "original file")
        case .originalLists: Count.text(count, "list of original files", "lists of original files")
        }
    }
}
