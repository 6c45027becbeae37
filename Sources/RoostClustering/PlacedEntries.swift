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

/// Assigns entries that were not clustered to the nearest groups of some rows.
///
/// The entries that are least similar to their group become outliers: about as large a share of them as of the rows.
package struct GroupPlacement: Sendable {
    private let placer: ClusterPlacer
    private let groups: [Cluster.ID: Int]

    package init(_ assembly: ClusterAssembly, groupsOf rows: Range<Int>, except excluded: Set<Int>) {
        let partition = assembly.partition
        let minimumSimilarity = Self.minimumSimilarity(assembly, rows)
        let used = Set(partition.labels[rows].compactMap(\.group)).subtracting(excluded)
        let clusters = used.sorted().map { group in
            var cluster = Cluster(label: "", centroid: partition.centroids.row(group))
            cluster.assignmentThreshold = minimumSimilarity
            return cluster
        }
        placer = ClusterPlacer(clusters)
        groups = Dictionary(uniqueKeysWithValues: zip(clusters.map(\.id), used.sorted()))
    }

    /// Returns the quantile of the rows' similarities with their groups that corresponds to the share of outliers,
    /// or -1 without outliers. A row does not count in the centroid of its group, as no other entry does.
    private static func minimumSimilarity(_ assembly: ClusterAssembly, _ rows: Range<Int>) -> Float {
        let partition = assembly.partition
        let outlierCount = partition.labels[rows].count { $0 == .outlier(.distant) }
        guard outlierCount > 0 else { return -1 }
        let similarities = rows.compactMap { row -> Float? in
            let similarity = partition.similarities[row]
            guard let group = partition.labels[row].group else {
                return partition.labels[row] == .outlier(.distant) ? similarity : nil
            }
            // The length of the sum of the group's vectors.
            let sum = assembly.quality.cohesions[group] * Float(assembly.members[group].count)
            let others = (sum * sum - 2 * sum * similarity + 1).squareRoot()
            return others > 0 ? (sum * similarity - 1) / others : nil
        }
        return similarities.sorted()[min(outlierCount, similarities.count - 1)]
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
                (match.isNear ? groups[match.cluster] : nil).map { .group($0) }
                ?? Partition.Label.outlier(.distant)
            let confidence = label.group == nil ? 0 : match.confidence
            return PlacedEntry(ids[row], label, similarity: match.similarity, confidence: confidence)
        }
    }
}

extension ClusterAssembly {
    /// The number of members of each leaf group.
    private var leafSizes: [Int] {
        var sizes = [Int](repeating: 0, count: partition.count)
        for label in partition.labels { if let group = label.group { sizes[group] += 1 } }
        for entry in placed { if let group = entry.label.group { sizes[group] += 1 } }
        return sizes
    }

    /// The members of each leaf group.
    var leafMembers: [[Entry.ID]] {
        var members = leafSizes.map { size in
            var ids: [Entry.ID] = []
            ids.reserveCapacity(size)
            return ids
        }
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
        return ClusterOverlap(counts, of: previous, leafSizes, partition.parents)
    }
}
