import RoostVectors

/// Turns the communities of a graph into a partition: moves the points of very small groups to larger groups,
/// and finds outliers.
struct GroupsOfPoints {
    private let points: Matrix
    private let nearest: NearestNeighbors
    private let graph: WeightedGraph
    private(set) var groups: [Int32]

    /// The minimum number of points for which outliers are determined. The similarities of fewer points do
    /// not show what is unusual.
    private static let minimumCountForOutliers = 20
    /// The distance between the lower quartile and the threshold for outliers, in interquartile ranges
    /// (Tukey's "far out" values).
    private static let fenceRanges: Float = 3

    init(_ points: Matrix, _ nearest: NearestNeighbors, _ graph: WeightedGraph, _ communities: [Int32]) {
        (self.points, self.nearest, self.graph) = (points, nearest, graph)
        groups = communities
    }

    var count: Int { Int((groups.max() ?? -1) + 1) }

    private static let minimumSize = 3

    /// Returns the number of points in each group or, with the copies of each point, of vectors. A point with
    /// a negative group is ignored.
    static func sizes(of groups: [Int32], copies: [Int]? = nil) -> [Int] {
        var sizes = [Int](repeating: 0, count: Int((groups.max() ?? -1) + 1))
        for (point, group) in groups.enumerated() where group >= 0 {
            sizes[Int(group)] += copies?[point] ?? 1
        }
        return sizes
    }

    /// Returns the share of the vectors that are in groups of fewer than three vectors.
    static func smallShare(of groups: [Int32], copies: [Int]) -> Double {
        let sizes = sizes(of: groups, copies: copies)
        let small = sizes.reduce(0) { $0 + ($1 < minimumSize ? $1 : 0) }
        return Double(small) / Double(max(1, sizes.reduce(0, +)))
    }

    /// Moves each point of a group with fewer than three vectors to the larger group with which it shares the
    /// most edge weight. A point without an edge to a larger group stays.
    mutating func joinSmall(copies: [Int]) {
        let sizes = Self.sizes(of: groups, copies: copies)
        let previous = groups
        for point in groups.indices where sizes[Int(previous[point])] < Self.minimumSize {
            var weights: [Int32: Double] = [:]
            for edge in graph.starts[point]..<graph.starts[point + 1] {
                let other = previous[Int(graph.targets[edge])]
                if sizes[Int(other)] >= Self.minimumSize {
                    weights[other, default: 0] += Double(graph.weights[edge])
                }
            }
            let best = weights.max { ($0.value, $1.key) < ($1.value, $0.key) }
            if let best { groups[point] = best.key }
        }
        groups = Leiden.renumbered(groups)
    }

    /// Returns the points that are far from all others, farthest first. A point is far if its mean similarity to its
    /// neighbors is more than three interquartile ranges below the lower quartile (Tukey's far outliers).
    func outliers(atMost limit: Int, copies: [Int]) -> [Int] {
        guard groups.count >= Self.minimumCountForOutliers, nearest.k > 0, limit > 0 else { return [] }
        let meanScores = groups.indices.map { point -> Float in
            let scores = nearest.scores[point * nearest.k..<(point + 1) * nearest.k].prefix {
                $0 > -.infinity
            }
            return scores.reduce(0, +) / Float(max(1, scores.count))
        }
        let sorted = meanScores.sorted()
        let (low, high) = (sorted[sorted.count / 4], sorted[sorted.count * 3 / 4])
        let fence = low - Self.fenceRanges * (high - low)
        let far = groups.indices.filter { meanScores[$0] < fence }
        var (remaining, chosen) = (limit, [Int]())
        for point in far.sorted(by: { (meanScores[$0], $0) < (meanScores[$1], $1) }) {
            guard copies[point] <= remaining else { continue }
            remaining -= copies[point]
            chosen.append(point)
        }
        return chosen
    }

    func partition(
        _ distinct: DistinctRows, rows: Int, outliers: [Int], facts: [String: Double]
    ) -> Partition {
        var kept = groups
        for point in outliers { kept[point] = -1 }
        // Number the groups, skipping those whose points are all outliers.
        var numbers = [Int32](repeating: -1, count: count)
        var next: Int32 = 0
        for group in kept where group >= 0 && numbers[Int(group)] < 0 {
            numbers[Int(group)] = next
            next += 1
        }
        let centroids = Self.centroids(
            of: kept.map { $0 < 0 ? -1 : numbers[Int($0)] }, count: Int(next), in: points)
        let nearestToOutliers =
            next > 0 && !outliers.isEmpty ? KMeansRun.nearest(centroids, to: points.selecting(outliers)) : []
        let nearest = Dictionary(zip(outliers, nearestToOutliers)) { first, _ in first }
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: rows)
        var similarities = [Float](repeating: 0, count: rows)
        var confidences = [Float](repeating: 0, count: rows)
        for row in 0..<rows {
            guard let point = distinct.indices[row] else { continue }
            let isOutlier = kept[point] < 0
            let group = isOutlier ? Int(nearest[point] ?? 0) : Int(numbers[Int(groups[point])])
            labels[row] = isOutlier ? .outlier(.distant) : .group(group)
            if next > 0 {
                similarities[row] = points.withRow(point) { values in
                    centroids.withRow(group) { innerProduct($0, values) }
                }
            }
            confidences[row] = isOutlier ? 0 : confidence(of: point)
        }
        return Partition(
            labels: labels, centroids: centroids, similarities: similarities, confidences: confidences,
            facts: facts)
    }

    /// Returns the mean direction of the points of each group. A point with a negative group is ignored.
    static func centroids(of groups: [Int32], count: Int, in points: Matrix) -> Matrix {
        var sums = Matrix(rows: count, columns: points.columns)
        for (point, group) in groups.enumerated() where group >= 0 {
            points.withRow(point) { values in
                sums.withUnsafeMutableElements { sums in
                    let start = Int(group) * values.count
                    for column in values.indices { sums[start + column] += values[column] }
                }
            }
        }
        sums.normalizeRows()
        // If the points of a group cancel each other out, their mean has no direction. Use the first point.
        for (point, group) in groups.enumerated() where group >= 0 {
            guard sums.withRow(Int(group), { $0.allSatisfy { $0 == 0 } }) else { continue }
            for column in 0..<points.columns { sums[Int(group), column] = points[point, column] }
        }
        return sums
    }

    /// Returns the share of a point's edge weight that stays within its group, 0 to 1.
    private func confidence(of point: Int) -> Float {
        var (inside, all) = (0.0, 0.0)
        for edge in graph.starts[point]..<graph.starts[point + 1] {
            all += Double(graph.weights[edge])
            if groups[Int(graph.targets[edge])] == groups[point] { inside += Double(graph.weights[edge]) }
        }
        return all > 0 ? Float(inside / all) : 1
    }
}

/// The distinct nonzero rows of a matrix. Copies of one text would otherwise be each other's nearest
/// neighbors and hide the neighbors that matter.
struct DistinctRows {
    /// The first row of each set of equal rows, ascending.
    private(set) var rows: [Int] = []
    /// For each row of the matrix, the index in ``rows`` of the row that it equals; `nil` for a zero row.
    private(set) var indices: [Int?] = []

    /// The number of rows of the matrix that equal each distinct row.
    var copies: [Int] {
        var counts = [Int](repeating: 0, count: rows.count)
        for case let index? in indices { counts[index] += 1 }
        return counts
    }

    /// Finds the distinct rows of a matrix.
    init(of vectors: Matrix) {
        indices.reserveCapacity(vectors.rows)
        var known: [Int: [Int]] = [:]
        for row in 0..<vectors.rows {
            vectors.withRow(row) { values in
                guard values.contains(where: { $0 != 0 }) else {
                    indices.append(nil)
                    return
                }
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(values))
                let hash = hasher.finalize()
                let same = known[hash]?.first { index in
                    vectors.withRow(rows[index]) { $0.elementsEqual(values) }
                }
                if let same {
                    indices.append(same)
                } else {
                    known[hash, default: []].append(rows.count)
                    indices.append(rows.count)
                    rows.append(row)
                }
            }
        }
    }
}
