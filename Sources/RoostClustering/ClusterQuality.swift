import RoostVectors

/// Measures of how compact and how well separated the groups of a partition are.
struct ClusterQuality {
    /// The mean cosine of each group's rows with its centroid. For a parent group, it is the mean over the
    /// rows of all of its descendants.
    private(set) var cohesions: [Float]
    /// 1 minus the cosine of each group's centroid with the nearest other centroid; `nil` if there is only one group.
    private(set) var separations: [Float?]
    private(set) var silhouettes: [Float?]
    /// The 5th percentile of the similarities of each group's rows with its centroid: the minimum similarity at which a
    /// new entry joins the cluster. `nil` for fewer than three rows, and for a group that contains groups.
    private(set) var assignmentThresholds: [Float?]
    private(set) var silhouette: Double?

    /// The maximum number of rows for which silhouettes are computed. They are spread evenly over all rows.
    static let sampleSize = 20_000
    private static let block = 256
    /// One in this many rows of a group is below the assignment threshold, which is the 5th percentile.
    private static let rowsPerOutsider = 20

    /// Measures a partition. Rows without a vector have no silhouette, and do not affect the assignment threshold of
    /// a group that contains groups.
    ///
    /// The silhouette of a row is (b - a) / max(a, b), where a is its mean distance to the others of its
    /// group and b the mean distance to the rows of the nearest other group (Rousseeuw 1987). The distance is
    /// 1 minus the cosine, so the mean distance to a group can be computed from the sum of its vectors.
    ///
    /// - Parameter vectors: The vectors of the first rows.
    init(_ partition: Partition, _ vectors: Matrix) {
        let (k, d) = (partition.count, partition.centroids.columns)
        let groups = partition.labels.map(\.group)
        cohesions = []
        separations = Array(repeating: nil, count: k)
        silhouettes = Array(repeating: nil, count: k)
        assignmentThresholds = Self.assignmentThresholds(partition, vectors)
        var sizes = [Int](repeating: 0, count: k)
        var sums = [Float](repeating: 0, count: k * d)
        for (row, group) in groups.enumerated() {
            guard let group else { continue }
            sizes[group] += 1
            // The sum of the cosines is the length of the sum of the vectors.
            guard row < vectors.rows else {
                let length = partition.similarities[row]
                for column in 0..<d {
                    sums[group * d + column] += length * partition.centroids[group, column]
                }
                continue
            }
            vectors.withRow(row) { values in
                for column in 0..<d { sums[group * d + column] += values[column] }
            }
        }
        cohesions = Self.cohesions(partition, sums, sizes)
        // A parent group has no rows of its own.
        let inUse = sizes.indices.filter { sizes[$0] > 0 }
        guard inUse.count > 1 else { return }
        for (group, value) in zip(inUse, Self.separations(partition.centroids.selecting(inUse))) {
            separations[group] = value
        }
        let grouped = (0..<vectors.rows).filter { groups[$0] != nil }
        let step = max(1, (grouped.count + Self.sampleSize - 1) / Self.sampleSize)
        let sample = stride(from: 0, to: grouped.count, by: step).map { grouped[$0] }
        let values = Self.silhouettes(
            of: vectors.selecting(sample), sample.map { groups[$0] ?? 0 },
            Matrix(rows: k, columns: d, elements: sums), sizes)
        var (totals, counts) = ([Double](repeating: 0, count: k), [Int](repeating: 0, count: k))
        for (row, value) in zip(sample, values) {
            guard let group = groups[row] else { continue }
            totals[group] += Double(value)
            counts[group] += 1
        }
        for group in 0..<k where counts[group] > 0 {
            silhouettes[group] = Float(totals[group] / Double(counts[group]))
        }
        silhouette = totals.reduce(0, +) / Double(max(1, sample.count))
    }

    private static func cohesions(_ partition: Partition, _ sums: [Float], _ sizes: [Int]) -> [Float] {
        let (k, d) = (partition.count, partition.centroids.columns)
        var (products, counts) = ([Double](repeating: 0, count: k), [Int](repeating: 0, count: k))
        for leaf in 0..<k where sizes[leaf] > 0 {
            for group in sequence(first: leaf, next: { partition.parents[$0] }) {
                counts[group] += sizes[leaf]
                for column in 0..<d {
                    products[group] +=
                        Double(sums[leaf * d + column]) * Double(partition.centroids[group, column])
                }
            }
        }
        return (0..<k).map { counts[$0] > 0 ? Float(products[$0] / Double(counts[$0])) : 0 }
    }

    private static func silhouettes(
        of rows: Matrix, _ groups: [Int], _ sums: Matrix, _ sizes: [Int]
    ) -> [Float] {
        let k = sums.rows
        return Parallel.mapBlocks(of: groups.count, size: block) { part in
            let products = rows.products(of: part, with: sums)
            return part.map { row in
                let line = (row - part.lowerBound) * k
                return silhouette(products[line..<line + k], groups[row], sizes)
            }
        }.flatMap(\.self)
    }

    private static func silhouette(_ products: ArraySlice<Float>, _ own: Int, _ sizes: [Int]) -> Float {
        // The silhouette of the only row of a group is 0 by definition (Rousseeuw 1987).
        guard sizes[own] > 1 else { return 0 }
        let first = products.startIndex
        let inside = max(0, (Float(sizes[own]) - products[first + own]) / Float(sizes[own] - 1))
        var outside = Float.infinity
        for group in sizes.indices where group != own && sizes[group] > 0 {
            outside = min(outside, max(0, 1 - products[first + group] / Float(sizes[group])))
        }
        let larger = max(inside, outside)
        return larger > 0 && larger.isFinite ? (outside - inside) / larger : 0
    }

    private static func separations(_ centroids: Matrix) -> [Float] {
        (0..<centroids.rows).map { row in
            centroids.withRow(row) { own in
                let nearest = (0..<centroids.rows).reduce(-Float.infinity) { nearest, other in
                    other == row ? nearest : max(nearest, centroids.withRow(other) { innerProduct(own, $0) })
                }
                return max(0, 1 - nearest)
            }
        }
    }

    private static func assignmentThresholds(_ partition: Partition, _ vectors: Matrix) -> [Float?] {
        var members = [[Float]](repeating: [], count: partition.count)
        for (row, label) in partition.labels.enumerated() {
            guard let leaf = label.group else { continue }
            members[leaf].append(partition.similarities[row])
            guard partition.topics.contains(leaf), row < vectors.rows, let group = partition.parents[leaf]
            else { continue }
            members[group].append(
                vectors.withRow(row) { values in
                    partition.centroids.withRow(group) { innerProduct($0, values) }
                })
        }
        return members.map { values in
            // Two members are too few to estimate how far from the centroid others may be.
            guard values.count > 2 else { return nil }
            return values.sorted()[values.count / rowsPerOutsider]
        }
    }
}

/// Measures the share of subsamples in which each group is found again.
///
/// A group is found again in a subsample if the Jaccard index of its members and those of the most similar
/// group of the subsample is at least 1/2. Only members in the subsample count (Hennig 2007, "Cluster-wise
/// assessment of cluster stability").
package struct ClusterReappearance {
    private static let minimumSimilarity = 0.5
    /// The minimum number of members in a subsample. The similarity of fewer members is not informative about
    /// the group, so such a subsample does not count.
    private static let minimumMembers = 2

    /// For each group, the number of subsamples with enough of its members.
    private var counted: [Int]
    /// For each group, the number of these subsamples in which it is found again.
    private var found: [Int]
    private var sampleCount = 0
    private let groups: [Int32]

    init(of groups: [Int32], count: Int) {
        self.groups = groups
        counted = [Int](repeating: 0, count: count)
        found = counted
    }

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
