/// Measures the share of subsamples in which each group is found again.
///
/// A group is found again in a subsample if the Jaccard index of its members and those of the most similar
/// group of the subsample is at least 1/2. Only members in the subsample count (Hennig 2007, "Cluster-wise
/// assessment of cluster stability").
package struct ClusterReappearance {
    /// The minimum Jaccard index of a group that is found again.
    private static let minimumSimilarity = 0.5
    /// The minimum number of members in a subsample. The similarity of fewer members is not informative about
    /// the group, so such a subsample does not count.
    private static let minimumMembers = 2

    /// For each group, the number of subsamples with enough of its members.
    private var counted: [Int]
    /// For each group, the number of these subsamples in which it is found again.
    private var found: [Int]
    private var sampleCount = 0
    /// The group of each point; negative for an outlier.
    private let groups: [Int32]

    /// Starts the measurement.
    ///
    /// - Parameters:
    ///   - groups: The group of each point, from 0; negative for a point that is in no group.
    ///   - count: The number of groups.
    init(of groups: [Int32], count: Int) {
        self.groups = groups
        counted = [Int](repeating: 0, count: count)
        found = counted
    }

    /// Compares the groups with those of a subsample.
    ///
    /// - Parameters:
    ///   - rows: The points of the subsample.
    ///   - part: The group of each of these points in the subsample; negative for an outlier.
    mutating func add(_ rows: [Int], _ part: [Int32]) {
        sampleCount += 1
        var sizes = [Int](repeating: 0, count: counted.count)
        var partSizes: [Int32: Int] = [:]
        var shared: [Int64: Int] = [:]
        for (row, other) in zip(rows, part) {
            let group = groups[row]
            if group >= 0 { sizes[Int(group)] += 1 }
            if other >= 0 { partSizes[other, default: 0] += 1 }
            if group >= 0, other >= 0 { shared[Int64(group) << 32 | Int64(other), default: 0] += 1 }
        }
        var best = [Double](repeating: 0, count: counted.count)
        for (pair, count) in shared {
            let (group, other) = (Int(pair >> 32), Int32(truncatingIfNeeded: pair & 0xFFFF_FFFF))
            let union = sizes[group] + (partSizes[other] ?? 0) - count
            best[group] = max(best[group], Double(count) / Double(max(1, union)))
        }
        for group in counted.indices where sizes[group] >= Self.minimumMembers {
            counted[group] += 1
            if best[group] >= Self.minimumSimilarity { found[group] += 1 }
        }
    }

    /// The share of each group; `nil` for a group with enough members in fewer than half of the subsamples.
    var shares: [Float?] {
        counted.indices.map { group in
            guard counted[group] > 0, 2 * counted[group] >= sampleCount else { return nil }
            return Float(found[group]) / Float(counted[group])
        }
    }
}
