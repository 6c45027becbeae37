public import Foundation
public import RoostModel

/// An operation that the fuzzer performs on a store.
///
/// An operation contains all its arguments and does not depend on earlier ones, so the fuzzer can remove
/// arbitrary operations from a sequence.
public enum FuzzOperation: Sendable, CustomStringConvertible {
    /// Commits a batch.
    case commit(WriteBatch)
    /// Commits a batch that expects certain revisions of entries and clusters: the current revisions or, if
    /// `isStale`, different ones.
    case conditional(WriteBatch, entries: [Entry.ID], clusters: Bool, isStale: Bool)
    /// Saves an entry.
    case saveEntry(Entry)
    /// Saves a cluster with its members.
    case updateCluster(Cluster)
    /// Removes an entry.
    case deleteEntry(Entry.ID)
    /// Begins a new history.
    case renewEpoch
    /// Compacts the store.
    case compact
    /// Takes a snapshot and keeps it, so that it can be compared at the end.
    case keepSnapshot
    /// Reads the changes since the previous operation of this kind, in pages of the given size.
    case followChanges(Int)
    /// Opens a new handle after closing or abandoning the current one.
    case reopen(closing: Bool)

    public var description: String {
        switch self {
        case .commit(let batch): "commit(\(Self.summary(batch)))"
        case .conditional(let batch, let entries, let clusters, let isStale):
            "commit(\(Self.summary(batch))) expecting \(isStale ? "stale " : "")revisions of "
                + "\(entries.count) entries" + (clusters ? " and of the clusters" : "")
        case .saveEntry(let entry): "saveEntry(\(Self.name(entry.id)): \(entry.content.debugDescription))"
        case .updateCluster(let cluster):
            "updateCluster(\(Self.name(cluster.id)), members \(cluster.members.map(Self.name)))"
        case .deleteEntry(let id): "deleteEntry(\(Self.name(id)))"
        case .renewEpoch: "renewEpoch()"
        case .compact: "compact()"
        case .keepSnapshot: "keep snapshot()"
        case .followChanges(let limit): "changes(limit: \(limit))"
        case .reopen(let closing): closing ? "close and reopen" : "abandon and reopen"
        }
    }

    private static func name(_ id: UUID) -> String { String(id.uuidString.suffix(4)) }

    private static func summary(_ batch: WriteBatch) -> String {
        var parts: [String] = []
        func add(_ name: String, _ items: [String]) {
            if !items.isEmpty { parts.append("\(name) \(items.joined(separator: " "))") }
        }
        add("upserts", batch.upserts.map { "\(name($0.id))(\($0.embeddings.count))" })
        add("removals", batch.removals.map(name))
        add("sources", batch.sources.map(\.id.debugDescription))
        add("removed sources", batch.removedSources.map(\.debugDescription))
        if let clustering = batch.clustering {
            parts.append("clustering [\(clustering.clusters.map { name($0.id) }.joined(separator: " "))]")
            add("its assignments", clustering.assignments.map { name($0.entry) })
        }
        add("clusters", batch.clusters.map { name($0.id) })
        add("assignments", batch.assignments.map { name($0.entry) })
        add("unassignments", batch.unassignments.map(name))
        return parts.joined(separator: ", ")
    }
}
