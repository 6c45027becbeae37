import Foundation
import RoostModel

/// The steps are those of the in-memory reference store. Only assignments of entries that the batch refers to
/// are known, unless the batch has a clustering.
struct ClusterChanges {
    private let before: BatchReading
    private let isStored: @Sendable (Entry.ID) -> Bool
    private(set) var run: ClusteringRun?
    private(set) var order: [Cluster.ID]
    private(set) var records: [Cluster.ID: Cluster]
    private(set) var assignments: [Entry.ID: Assignment]
    private let originalRecords: [Cluster.ID: Cluster]
    private let originalAssignments: [Entry.ID: Assignment]
    private(set) var hasChanges = false
    /// Whether the batch replaced all clusters, so all of them get new positions.
    private(set) var isReplaced = false

    /// Creates the state after the entries of a batch have been removed.
    init(
        _ before: BatchReading, removals: Set<Entry.ID>, isStored: @escaping @Sendable (Entry.ID) -> Bool
    ) throws {
        self.before = before
        self.isStored = isStored
        run = try before.head.run()
        order = before.clusters.map(\.cluster.id)
        records = Dictionary(before.clusters.map { ($0.cluster.id, $0.cluster) }) { first, _ in first }
        originalRecords = records
        assignments = [:]
        for assignment in before.assignments where !removals.contains(assignment.entry) {
            assignments[assignment.entry] = assignment
        }
        originalAssignments = assignments
    }

    /// - Throws: `StorageError` with `.invalidBatch` if an assignment names a cluster that does not exist.
    mutating func apply(_ batch: WriteBatch) throws {
        try check(batch)
        if let clustering = batch.clustering { replace(with: clustering) }
        for var cluster in batch.clusters {
            cluster.members = []
            guard records[cluster.id] != cluster else { continue }
            if records.updateValue(cluster, forKey: cluster.id) == nil { order.append(cluster.id) }
            hasChanges = true
        }
        for id in batch.unassignments where assignments.removeValue(forKey: id) != nil { hasChanges = true }
        for assignment in batch.assignments where isStored(assignment.entry) {
            guard assignments[assignment.entry] != assignment else { continue }
            assignments[assignment.entry] = assignment
            hasChanges = true
        }
    }

    private func check(_ batch: WriteBatch) throws {
        let clustering = batch.clustering.map { Set($0.clusters.map(\.id)) }
        let new = Set(batch.clusters.map(\.id))
        for assignment in batch.assignments where isStored(assignment.entry) {
            guard let cluster = assignment.cluster, !new.contains(cluster) else { continue }
            guard clustering?.contains(cluster) ?? (records[cluster] != nil) else {
                throw StorageError.invalid(
                    "invalid batch: an assignment names cluster \(cluster), which is not in the store")
            }
        }
        for assignment in batch.clustering?.assignments ?? [] {
            if let cluster = assignment.cluster, clustering?.contains(cluster) == false {
                throw StorageError.invalid(
                    "invalid batch: an assignment names cluster \(cluster), which the clustering lacks")
            }
        }
    }

    private mutating func replace(with clustering: WriteBatch.Clustering) {
        var newRecords: [Cluster.ID: Cluster] = [:]
        for var cluster in clustering.clusters {
            cluster.members = []
            newRecords[cluster.id] = cluster
        }
        var newAssignments: [Entry.ID: Assignment] = [:]
        for assignment in clustering.assignments where isStored(assignment.entry) {
            newAssignments[assignment.entry] = assignment
        }
        let newOrder = clustering.clusters.map(\.id)
        guard
            run != clustering.run || order != newOrder || records != newRecords
                || assignments != newAssignments
        else { return }
        (run, order, records, assignments) = (clustering.run, newOrder, newRecords, newAssignments)
        (hasChanges, isReplaced) = (true, true)
    }

    // MARK: Differences

    var endedPositions: [Int64] {
        before.clusters.filter { isReplaced || records[$0.cluster.id] != $0.cluster }.map(\.position)
    }

    /// The clusters to write, in their order; the position is `nil` for a new cluster.
    var writtenClusters: [(cluster: Cluster, position: Int64?)] {
        let positions = Dictionary(before.clusters.map { ($0.cluster.id, $0.position) }) { first, _ in first }
        return order.compactMap { id in
            guard let cluster = records[id], isReplaced || originalRecords[id] != cluster else { return nil }
            return (cluster, isReplaced ? nil : positions[id])
        }
    }

    var endedAssignments: [Entry.ID] {
        originalAssignments.values.filter { assignments[$0.entry] != $0 }.map(\.entry)
    }

    var writtenAssignments: [Assignment] {
        assignments.values.filter { originalAssignments[$0.entry] != $0 }
    }
}
