import RoostVectors

/// Agglomerative clustering of weighted points: repeatedly merges the two nearest clusters.
///
/// Uses nearest-neighbor chains (Benzécri 1982; Müllner 2011, "Modern hierarchical, agglomerative clustering
/// algorithms"). For reducible linkages, where a merged cluster is not nearer to another cluster than the
/// nearer of its two parts, chains find the same tree as merging the globally nearest pair each time.
struct Agglomeration {
    /// The distance between two clusters.
    enum Linkage: Sendable, Hashable, CaseIterable {
        /// The mean distance over all pairs of points (UPGMA).
        case average
        /// The increase of the sum of squared distances from the centroids (Ward 1963).
        case ward
    }

    /// A merge of two clusters. Each cluster is identified by the index of one of its points.
    struct Merge: Sendable, Hashable {
        var first: Int
        var second: Int
        var height: Double
    }

    /// The merges in ascending order of height; one fewer than there are points.
    let merges: [Merge]
    private let count: Int

    /// Builds the tree of merges.
    ///
    /// - Parameters:
    ///   - points: The points, (k, d), unit length.
    ///   - weights: The number of rows that each point represents, above 0.
    ///   - linkage: The distance between two clusters.
    /// - Complexity: O(k² · d) time, 8 k² bytes of memory.
    init(_ points: Matrix, weights: [Int], linkage: Linkage = .ward) {
        precondition(
            points.rows == weights.count && weights.allSatisfy { $0 > 0 },
            "each point needs a weight above 0")
        let k = points.rows
        count = k
        var distances = [Double](repeating: 0, count: k * k)
        for a in 0..<k {
            for b in 0..<a {
                let cosine = points.withRow(a) { x in points.withRow(b) { innerProduct(x, $0) } }
                var distance = max(0, 1 - Double(cosine))
                if linkage == .ward {
                    let (m, n) = (Double(weights[a]), Double(weights[b]))
                    distance *= 2 * m * n / (m + n)
                }
                distances[a * k + b] = distance
                distances[b * k + a] = distance
            }
        }
        merges = Self.chain(&distances, weights.map(Double.init), linkage)
    }

    private static func chain(
        _ distances: inout [Double], _ weights: [Double], _ linkage: Linkage
    ) -> [Merge] {
        let k = weights.count
        var weights = weights
        var isActive = [Bool](repeating: true, count: k)
        var merges: [Merge] = []
        var chain: [Int] = []
        while merges.count < k - 1 {
            if chain.isEmpty, let first = isActive.firstIndex(of: true) { chain.append(first) }
            let last = chain[chain.count - 1]
            let previous = chain.count > 1 ? chain[chain.count - 2] : nil
            // Among equally near clusters, prefer the previous one in the chain, so that the chain ends;
            // otherwise, prefer the one with the lowest index.
            var (nearest, minimum) = (
                previous ?? -1, previous.map { distances[last * k + $0] } ?? .infinity
            )
            for other in 0..<k where isActive[other] && other != last {
                let distance = distances[last * k + other]
                if distance < minimum { (nearest, minimum) = (other, distance) }
            }
            guard nearest == previous, let previous else {
                chain.append(nearest)
                continue
            }
            chain.removeLast(2)
            let (kept, merged) = (min(last, previous), max(last, previous))
            for other in 0..<k where isActive[other] && other != kept && other != merged {
                let (toKept, toMerged) = (distances[other * k + kept], distances[other * k + merged])
                let (m, n, w) = (weights[kept], weights[merged], weights[other])
                let distance =
                    switch linkage {
                    case .average: (m * toKept + n * toMerged) / (m + n)
                    case .ward: ((m + w) * toKept + (n + w) * toMerged - w * minimum) / (m + n + w)
                    }
                distances[other * k + kept] = distance
                distances[kept * k + other] = distance
            }
            weights[kept] += weights[merged]
            isActive[merged] = false
            merges.append(Merge(first: kept, second: merged, height: minimum))
        }
        // A merge is never lower than the merges below it. Sorting by height, with ties in the original
        // order, therefore keeps children before their parents.
        return merges.enumerated().sorted { ($0.element.height, $0.offset) < ($1.element.height, $1.offset) }
            .map(\.element)
    }

    /// Cuts the tree into the given number of groups and returns the group of each point. Groups are numbered
    /// in the order of their first points.
    ///
    /// - Parameter groups: The number of groups, 1 to the number of points.
    func cut(into groups: Int) -> [Int] {
        precondition(
            (1...max(1, count)).contains(groups), "cannot cut \(count) points into \(groups) groups")
        var sets = UnionFind(count)
        for merge in merges.prefix(max(0, count - groups)) { _ = sets.join(merge.first, merge.second) }
        var numbers: [Int: Int] = [:]
        return (0..<count).map { point in
            let root = sets.root(point)
            if let number = numbers[root] { return number }
            numbers[root] = numbers.count
            return numbers.count - 1
        }
    }
}
