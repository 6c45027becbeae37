import Foundation
import Roost
import RoostBackups
import Synchronization

/// Collects the parts of a snapshot that a restoration skipped.
final class BackupLosses: Sendable {
    private let all = Mutex<[BackupLoss]>([])

    func add(_ loss: BackupLoss) { all.withLock { $0.append(loss) } }

    var isEmpty: Bool { all.withLock { $0.isEmpty } }

    /// One line for each kind of loss, with the ids that are known.
    var lines: [String] {
        var (entries, vectors, clusters): ([Entry.ID], [Entry.ID], [Cluster.ID]) = ([], [], [])
        var (unknownEntries, unknownClusters, assignments, sources, originals) = (0, 0, 0, 0, 0)
        var isRunLost = false
        for loss in all.withLock({ $0 }) {
            switch loss {
            case .entries(let ids): entries += ids
            case .unknownEntries(let count): unknownEntries += count
            case .vectors(let ids): vectors += ids
            case .assignments(let count): assignments += count
            case .clusters(let ids): clusters += ids
            case .unknownClusters(let count): unknownClusters += count
            case .sources(let count): sources += count
            case .run: isRunLost = true
            case .originals: originals += 1
            }
        }
        var lines: [String] = []
        func add(_ count: Int, _ singular: String, _ plural: String, _ rest: String) {
            if count > 0 { lines.append("missing: \(Count.text(count, singular, plural))\(rest)") }
        }
        add(entries.count, "entry", "entries", ":" + Self.list(entries))
        add(unknownEntries, "entry whose id is damaged", "entries whose ids are damaged", ", too")
        if !vectors.isEmpty {
            lines.append(
                "restored without vectors: \(Count.text(vectors.count, "entry", "entries")); "
                    + "`roost doctor --repair` computes them:" + Self.list(vectors))
        }
        add(assignments, "entry's assignment to a cluster", "entries' assignments to clusters", "")
        add(clusters.count, "cluster", "clusters", ":" + Self.list(clusters))
        add(unknownClusters, "cluster whose id is damaged", "clusters whose ids are damaged", ", too")
        add(
            sources, "record of a source; the next ingest of this source reads it as new",
            "records of sources; the next ingest of these sources reads them as new", "")
        add(originals, "list of original files", "lists of original files", "")
        if isRunLost { lines.append("missing: the record of the last clustering run") }
        return lines
    }

    private static func list(_ ids: [UUID]) -> String { ids.map { " " + $0.text }.joined() }
}
