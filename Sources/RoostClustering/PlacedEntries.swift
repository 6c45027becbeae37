import Foundation
package import RoostModel
package import RoostVectors

/// An entry that a run did not cluster, but assigned to a group. It takes 28 bytes.
package struct PlacedEntry: Sendable {
    let id: Entry.ID
    /// The group; -1 for a distant outlier, and -2 for a zero vector.
    private let group: Int32
    let similarity: Float
    let confidence: Float

    package init(_ id: Entry.ID, _ label: Partition.Label, similarity: Float, confidence: Float) {
        (self.id, self.similarity, self.confidence) = (id, similarity, confidence)
        group = label.group.map { Int32($0) } ?? (label == .outlier(.zeroVector) ? -2 : -1)
    }

    var label: Partition.Label {
        group >= 0 ? .group(Int(group)) : .outlier(group == -2 ? .zeroVector : .distant)
    }
}

/// Assigns entries that were not clustered to the groups of some rows, by the rule of ``ClusterPlacer``.
package struct GroupPlacement: Sendable {
    private let placer: ClusterPlacer
    private let groups: [Cluster.ID: Int]
    private let hasOutliers: Bool

    /// - Parameter hasOutliers: Whether entries that are near no group become outliers; otherwise, they join the
    ///   nearest one.
    package init(
        _ assembly: ClusterAssembly, groupsOf rows: Range<Int>, except excluded: Range<Int>, hasOutliers: Bool
    ) {
        let partition = assembly.partition
        var ids: [Int: Cluster.ID] = [:]
        for case let group? in partition.labels[rows].lazy.map(\.group)
        where ids[group] == nil && !excluded.contains(group) {
            for group in sequence(first: group, next: { partition.parents[$0] }) { ids[group] = UUID() }
        }
        let clusters = ids.sorted { $0.key < $1.key }.map { group, id in
            var cluster = Cluster(id: id, label: "", centroid: partition.centroids.row(group))
            cluster.parent = partition.parents[group].flatMap { ids[$0] }
            cluster.isTopic = partition.topics.contains(group)
            // Only an equal vector is certainly near enough to a group of one or two entries.
            cluster.assignmentThreshold = assembly.quality.assignmentThresholds[group] ?? 1
            return cluster
        }
        placer = ClusterPlacer(clusters)
        groups = Dictionary(uniqueKeysWithValues: ids.map { ($1, $0) })
        self.hasOutliers = hasOutliers
    }

    /// Returns the assignment of entries.
    ///
    /// - Parameter vectors: The vector of each entry, unit length.
    package func assign(_ ids: [Entry.ID], _ vectors: Matrix) -> [PlacedEntry] {
        placer.nearest(to: vectors).enumerated().map { row, match in
            guard vectors.withRow(row, { $0.contains { $0 != 0 } }), let match else {
                return PlacedEntry(ids[row], .outlier(.zeroVector), similarity: 0, confidence: 0)
            }
            let label =
                (match.isNear || !hasOutliers ? groups[match.cluster] : nil).map { .group($0) }
                ?? Partition.Label.outlier(.distant)
            let confidence = label.group == nil ? 0 : match.confidence
            return PlacedEntry(ids[row], label, similarity: match.similarity, confidence: confidence)
        }
    }
}

extension ClusterAssembly {
    /// The members of each leaf group.
    var leafMembers: [[Entry.ID]] {
        var members = [[Entry.ID]](repeating: [], count: partition.count)
        for (row, label) in partition.labels.enumerated() {
            if let group = label.group { members[group].append(ids[row]) }
        }
        for entry in placed { if let group = entry.label.group { members[group].append(entry.id) } }
        return members
    }

    /// The number of entries whose assignments are read together. A table of all can exceed the memory.
    private static let assignmentBlock = 4096

    /// Counts the entries that the groups share with the clusters of a snapshot.
    package func overlap(
        with previous: [Cluster], in snapshot: any StorageSnapshot
    ) async throws -> ClusterOverlap {
        var counts: [Cluster.ID: [Int?: Int]] = [:]
        func count(_ assignment: Assignment, in group: Int?) {
            if let cluster = assignment.cluster { counts[cluster, default: [:]][group, default: 0] += 1 }
        }
        for assignment in try await snapshot.assignments(of: placed.isEmpty ? nil : ids) {
            count(assignment, in: rows[assignment.entry].flatMap { partition.labels[$0].group })
        }
        for start in stride(from: 0, to: placed.count, by: Self.assignmentBlock) {
            try Task.checkCancellation()
            let block = placed[start..<min(placed.count, start + Self.assignmentBlock)]
            let groups = Dictionary(block.map { ($0.id, $0.label.group) }) { first, _ in first }
            for assignment in try await snapshot.assignments(of: block.map(\.id)) {
                count(assignment, in: groups[assignment.entry] ?? nil)
            }
        }
        return ClusterOverlap(counts, of: previous, leafMembers.map(\.count), partition.parents)
    }
}
