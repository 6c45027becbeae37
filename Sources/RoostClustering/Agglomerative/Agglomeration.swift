import RoostVectors

/// Agglomerative clustering of weighted points: the two that are nearest become one, again and again.
///
/// By chains of nearest neighbours (Benzécri 1982; Müllner 2011, "Modern hierarchical, agglomerative
/// clustering algorithms"), which find the same tree as joining the nearest pair each time, for linkages
/// where a union is no nearer to others than its nearer part was.
struct Agglomeration {
    enum Linkage: Sendable, Hashable, CaseIterable {
        /// The mean distance of all pairs (UPGMA).
        case average
        /// By how much the sum of squared distances from the centroids grows (Ward 1963).
        case ward
    }

    /// Two clusters that became one: numbers of points, each standing for the cluster that it is in.
    struct Merge: Sendable, Hashable {
        var first: Int
        var second: Int
        var height: Double
    }

    /// The nearest first; one less than there are points.
    let merges: [Merge]
    private let count: Int

    /// - Parameters:
    ///   - points: (k, d), unit length.
    ///   - weights: how many rows each point stands for, above 0.
    /// - Complexity: O(k² · d) time, 8 k² bytes.
    init(_ points: Matrix, weights: [Int], linkage: Linkage = .ward) {
        precondition(points.rows == weights.count && weights.allSatisfy { $0 > 0 })
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
        var isLeft = [Bool](repeating: true, count: k)
        var merges: [Merge] = []
        var chain: [Int] = []
        while merges.count < k - 1 {
            if chain.isEmpty, let first = isLeft.firstIndex(of: true) { chain.append(first) }
            let last = chain[chain.count - 1]
            let before = chain.count > 1 ? chain[chain.count - 2] : nil
            // Among equals the one before, so that the chain ends; then the lowest number.
            var (nearest, least) = (before ?? -1, before.map { distances[last * k + $0] } ?? .infinity)
            for other in 0..<k where isLeft[other] && other != last {
                let distance = distances[last * k + other]
                if distance < least { (nearest, least) = (other, distance) }
            }
            guard nearest == before, let before else {
                chain.append(nearest)
                continue
            }
            chain.removeLast(2)
            let (kept, gone) = (min(last, before), max(last, before))
            for other in 0..<k where isLeft[other] && other != kept && other != gone {
                let (toKept, toGone) = (distances[other * k + kept], distances[other * k + gone])
                let (m, n, w) = (weights[kept], weights[gone], weights[other])
                let distance =
                    switch linkage {
                    case .average: (m * toKept + n * toGone) / (m + n)
                    case .ward: ((m + w) * toKept + (n + w) * toGone - w * least) / (m + n + w)
                    }
                distances[other * k + kept] = distance
                distances[kept * k + other] = distance
            }
            weights[kept] += weights[gone]
            isLeft[gone] = false
            merges.append(Merge(first: kept, second: gone, height: least))
        }
        // A union is never lower than its parts, so that these come before it in the order of heights too.
        return merges.enumerated().sorted { ($0.element.height, $0.offset) < ($1.element.height, $1.offset) }
            .map(\.element)
    }

    /// The groups of the points when so many are left, numbered in the order of their first points.
    ///
    /// - Parameter groups: 1 to the number of points.
    func cut(into groups: Int) -> [Int] {
        precondition((1...max(1, count)).contains(groups))
        var parents = Array(0..<count)
        func root(_ point: Int) -> Int {
            var point = point
            while parents[point] != point {
                parents[point] = parents[parents[point]]
                point = parents[point]
            }
            return point
        }
        for merge in merges.prefix(max(0, count - groups)) {
            let (a, b) = (root(merge.first), root(merge.second))
            parents[max(a, b)] = min(a, b)
        }
        var numbers: [Int: Int] = [:]
        return (0..<count).map { point in
            let root = root(point)
            if let number = numbers[root] { return number }
            numbers[root] = numbers.count
            return numbers.count - 1
        }
    }
}
