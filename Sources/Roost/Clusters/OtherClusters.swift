import RoostModel
import RoostVectors

/// The clusters of the entries that a run over a part of the store does not cluster.
struct OtherClusters {
    /// The rows of the entries that are in a cluster or are outliers, ascending.
    let rows: [Int]
    private let assignments: [Assignment]
    private let clusters: [Cluster]

    init(
        _ clusters: [Cluster], of entries: EntryVectors, except chosen: Set<Int>,
        _ sample: VectorSample, _ snapshot: any StorageSnapshot
    ) async throws {
        let assignments = try await snapshot.assignments(of: sample.isComplete ? nil : entries.ids).byEntry
        rows = entries.ids.indices.filter { !chosen.contains($0) && assignments[entries.ids[$0]] != nil }
        self.assignments = rows.compactMap { assignments[entries.ids[$0]] }
        self.clusters = ClusterForest.withoutCycles(clusters)
    }

    /// Returns a partition with these clusters as further groups.
    ///
    /// - Parameter vectors: The vectors of the partition, followed by those of ``rows``.
    func adding(to partition: Partition, of vectors: Matrix) -> Partition {
        var wanted = Set(assignments.compactMap(\.cluster))
        var parents = Dictionary(clusters.map { ($0.id, $0.parent) }) { first, _ in first }
        for id in wanted { wanted.formUnion(sequence(first: id) { parents[$0] ?? nil }) }
        parents = parents.filter { wanted.contains($0.key) }
        let kept = clusters.filter { wanted.contains($0.id) }
        let numbers = Dictionary(
            uniqueKeysWithValues: kept.enumerated().map { ($1.id, partition.count + $0) })
        func number(_ id: Cluster.ID?) -> Int? { id.flatMap { numbers[$0] } }
        var result = Partition(
            groups: partition.labels.map(\.group) + assignments.map { number($0.cluster) }, of: vectors,
            parents: partition.parents + kept.map { number($0.parent) }, facts: partition.facts)
        result.topics = partition.topics.union(kept.filter(\.isTopic).compactMap { number($0.id) })
        result.confidences = partition.confidences + assignments.map(\.confidence)
        if !partition.stabilities.isEmpty {
            result.stabilities = partition.stabilities + kept.map(\.stability)
        }
        for (row, reason) in assignments.map(\.outlierReason).enumerated() {
            if let reason { result.labels[partition.labels.count + row] = .outlier(reason) }
        }
        for (row, label) in partition.labels.enumerated() where label.group == nil {
            result.labels[row] = label
        }
        return result
    }
}
