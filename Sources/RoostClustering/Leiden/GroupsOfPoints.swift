import RoostVectors

/// Groups of a graph's nodes, on the way from communities to a partition: who stands alone is placed, who is
/// far from everything is left out.
struct GroupsOfPoints {
    private let points: Matrix
    private let nearest: NearestNeighbors
    private let graph: WeightedGraph
    private(set) var groups: [Int32]

    init(_ points: Matrix, _ nearest: NearestNeighbors, _ graph: WeightedGraph, _ communities: [Int32]) {
        (self.points, self.nearest, self.graph) = (points, nearest, graph)
        groups = communities
    }

    private var count: Int { Int((groups.max() ?? -1) + 1) }

    /// A point that is a group by itself joins the one that most of its neighbours' weight is in.
    mutating func joinSingles() {
        var sizes = [Int](repeating: 0, count: count)
        for group in groups { sizes[Int(group)] += 1 }
        let before = groups
        for point in groups.indices where sizes[Int(before[point])] == 1 {
            var weights: [Int32: Double] = [:]
            for edge in graph.starts[point]..<graph.starts[point + 1] {
                let other = before[Int(graph.targets[edge])]
                if sizes[Int(other)] > 1 { weights[other, default: 0] += Double(graph.weights[edge]) }
            }
            let best = weights.max { ($0.value, $1.key) < ($1.value, $0.key) }
            if let best { groups[point] = best.key }
        }
        groups = Leiden.renumbered(groups)
    }

    /// Points that are far from everything, the farthest first: whose neighbours are less near than is usual
    /// by more than three times the spread between the quartiles (Tukey's far outliers).
    ///
    /// - Parameters:
    ///   - limit: how many rows may be left out.
    ///   - copies: how many rows each point stands for.
    func outliers(atMost limit: Int, copies: [Int]) -> [Int] {
        guard groups.count >= 20, nearest.k > 0, limit > 0 else { return [] }
        let surroundings = groups.indices.map { point -> Float in
            let scores = nearest.scores[point * nearest.k..<(point + 1) * nearest.k].prefix {
                $0 > -.infinity
            }
            return scores.reduce(0, +) / Float(max(1, scores.count))
        }
        let sorted = surroundings.sorted()
        let (low, high) = (sorted[sorted.count / 4], sorted[sorted.count * 3 / 4])
        let fence = low - 3 * (high - low)
        let far = groups.indices.filter { surroundings[$0] < fence }
        var (left, chosen) = (limit, [Int]())
        for point in far.sorted(by: { (surroundings[$0], $0) < (surroundings[$1], $1) }) {
            guard copies[point] <= left else { continue }
            left -= copies[point]
            chosen.append(point)
        }
        return chosen
    }

    /// - Parameters:
    ///   - distinct: which rows the points are.
    ///   - rows: how many rows there are.
    func partition(
        _ distinct: DistinctRows, rows: Int, outliers: [Int], facts: [String: Double]
    ) -> Partition {
        let isOutlier = Set(outliers)
        var kept = groups
        for point in outliers { kept[point] = -1 }
        // Numbers without those whose points are all left out.
        var numbers = [Int32](repeating: -1, count: count)
        var next: Int32 = 0
        for group in kept where group >= 0 && numbers[Int(group)] < 0 {
            numbers[Int(group)] = next
            next += 1
        }
        var sums = Matrix(rows: Int(next), columns: points.columns)
        for (point, group) in kept.enumerated() where group >= 0 {
            let number = Int(numbers[Int(group)])
            points.withRow(point) { values in
                sums.withUnsafeMutableElements { sums in
                    for column in values.indices { sums[number * values.count + column] += values[column] }
                }
            }
        }
        sums.normalizeRows()
        // Points that cancel out leave no direction: the first stands for them.
        for (point, group) in kept.enumerated() where group >= 0 {
            let number = Int(numbers[Int(group)])
            guard sums.withRow(number, { $0.allSatisfy { $0 == 0 } }) else { continue }
            for column in 0..<points.columns { sums[number, column] = points[point, column] }
        }
        let nearestOfLeft =
            next > 0 && !outliers.isEmpty ? KMeansRun.nearest(sums, to: points.selecting(outliers)) : []
        let nearest = Dictionary(zip(outliers, nearestOfLeft)) { first, _ in first }
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: rows)
        var similarities = [Float](repeating: 0, count: rows)
        var confidences = [Float](repeating: 0, count: rows)
        for row in 0..<rows {
            guard let point = distinct.places[row] else { continue }
            let isLeftOut = isOutlier.contains(point)
            let group = isLeftOut ? Int(nearest[point] ?? 0) : Int(numbers[Int(groups[point])])
            labels[row] = isLeftOut ? .outlier(.distant) : .group(group)
            if next > 0 {
                similarities[row] = points.withRow(point) { values in
                    sums.withRow(group) { innerProduct($0, values) }
                }
            }
            confidences[row] = isLeftOut ? 0 : confidence(of: point)
        }
        return Partition(
            labels: labels, centroids: sums, similarities: similarities, confidences: confidences,
            facts: facts)
    }

    /// How much of a point's edges stays in its group.
    private func confidence(of point: Int) -> Float {
        var (inside, all) = (0.0, 0.0)
        for edge in graph.starts[point]..<graph.starts[point + 1] {
            all += Double(graph.weights[edge])
            if groups[Int(graph.targets[edge])] == groups[point] { inside += Double(graph.weights[edge]) }
        }
        return all > 0 ? Float(inside / all) : 1
    }
}
