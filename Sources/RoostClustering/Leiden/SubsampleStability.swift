import Foundation
import RoostVectors

/// Measures, for each resolution, how well the partition of all points agrees with the partitions of subsamples.
///
/// Each subsample gets its own graph and ``ResolutionLadder``. The agreement is the adjusted mutual
/// information on the subsample, which is corrected for the agreement of many small groups by chance.
struct SubsampleStability {
    /// The mean agreement for each resolution, fine to coarse, smoothed over neighboring resolutions; at most 1.
    let means: [Double]
    let subsamples: Subsamples
    /// For each subsample and each resolution, the group of each point of the subsample.
    let partitions: [[[Int32]]]

    init(
        of partitions: [[Int32]], _ points: Matrix, neighbors: Int, ladder: ResolutionLadder, seed: UInt64
    ) throws {
        let subsamples = try Subsamples(of: points, neighbors: neighbors, seed: seed)
        let found = try subsamples.partitions(at: ladder)
        (self.subsamples, self.partitions) = (subsamples, found)
        let information = MutualInformation(maximumCount: Subsamples.size(of: points.rows))
        let values = Parallel.mapBlocks(of: found.count, size: 1) { block in
            let rows = subsamples.samples[block.lowerBound].rows
            return zip(partitions, found[block.lowerBound]).map { whole, part in
                Self.agreement(of: whole, with: part, rows, information)
            }
        }
        try Task.checkCancellation()
        means = Self.smoothed(
            partitions.indices.map { index in
                values.reduce(0) { $0 + $1[index] } / Double(max(1, values.count))
            })
    }

    /// Returns the mean agreement of groups of all points with the subsamples' groups at one resolution.
    func agreement(of groups: [Int32], at index: Int) -> Double {
        let information = MutualInformation(maximumCount: subsamples.samples.first?.rows.count ?? 0)
        let values = zip(subsamples.samples, partitions).map { sample, partitions in
            Self.agreement(of: groups, with: partitions[index], sample.rows, information)
        }
        return values.reduce(0, +) / Double(max(1, values.count))
    }

    private static func agreement(
        of whole: [Int32], with part: [Int32], _ rows: [Int], _ information: MutualInformation
    ) -> Double {
        // If either partition consists of a single group, their agreement does not show that groups exist.
        guard part.contains(where: { $0 > 0 }), whole.contains(where: { $0 > 0 }) else { return 0 }
        return information.adjusted(Leiden.renumbered(rows.map { whole[$0] }), part)
    }

    /// Returns weighted means over neighboring resolutions, with weights 1, 2 and 1. They favor a resolution
    /// between two stable ones over an isolated peak, which often occurs by chance.
    private static func smoothed(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            (values[max(0, index - 1)] + 2 * values[index] + values[min(values.count - 1, index + 1)]) / 4
        }
    }
}

/// Random parts of a set of points, each with the graph of its nearest neighbors. Groups that exist in the
/// data are found again in them (Ben-Hur, Elisseeff & Guyon 2002; consensus clustering: Monti et al. 2003).
struct Subsamples: Sendable {
    struct Sample: Sendable {
        var rows: [Int]
        var graph: WeightedGraph
        /// The seed of the communities of the graph.
        var seed: UInt64
    }

    let samples: [Sample]

    static let share = 0.8
    /// The maximum number of points in a subsample. It limits the time for large matrices.
    static let maximumSize = 4000
    /// The range of the number of subsamples. Small subsamples vary more, so more of them are used for a
    /// small matrix. Within this range, all subsamples together have about ``pointBudget`` points.
    private static let countRange = 8...100
    private static let pointBudget = 24_000

    static func size(of count: Int) -> Int { min(maximumSize, Int((share * Double(count)).rounded())) }

    init(of points: Matrix, neighbors: Int, seed: UInt64) throws {
        let size = Self.size(of: points.rows)
        let count = min(
            max(Self.pointBudget / max(1, size), Self.countRange.lowerBound), Self.countRange.upperBound)
        var generator = SeededGenerator(seed: seed)
        var samples: [Sample] = []
        for _ in 0..<count where size > 1 {
            try Task.checkCancellation()
            let rows = generator.permutation(points.rows).prefix(size).sorted().map { Int($0) }
            let nearest = try NearestNeighbors.find(
                in: points.selecting(rows), k: min(neighbors, size - 1), seed: seed)
            samples.append(Sample(rows: rows, graph: NeighborGraph.make(nearest), seed: generator.next()))
        }
        self.samples = samples
    }

    /// Returns the groups of each sample's points at the given resolutions.
    ///
    /// - Returns: For each sample and each resolution, the group of each point of the sample.
    func partitions(at resolutions: ResolutionLadder) throws -> [[[Int32]]] {
        let found = Parallel.map(samples) { sample in
            var generator = SeededGenerator(seed: sample.seed)
            // Only cancellation throws an error, and it is checked below.
            return (try? resolutions.partitions(of: Leiden(sample.graph), using: &generator)) ?? []
        }
        try Task.checkCancellation()
        return found
    }
}

/// The adjusted mutual information of two partitions of the same elements (Vinh, Epps & Bailey 2010).
///
/// It is 1 for equal partitions, and 0 on average for independent random partitions with the given group
/// sizes. The normalization is the arithmetic mean of the entropies, as in scikit-learn.
struct MutualInformation {
    /// `logFactorials[i]` is log(i!).
    private let logFactorials: [Double]

    init(maximumCount: Int) {
        var sums = [0.0]
        sums.reserveCapacity(maximumCount + 1)
        for number in 0..<max(0, maximumCount) { sums.append(sums[number] + log(Double(number + 1))) }
        logFactorials = sums
    }

    /// Returns the adjusted mutual information of two partitions.
    func adjusted(_ first: [Int32], _ second: [Int32]) -> Double {
        let n = first.count
        let (sizes, others) = (GroupsOfPoints.sizes(of: first), GroupsOfPoints.sizes(of: second))
        guard n > 1, sizes.count > 1 || others.count > 1 else { return 1 }
        guard sizes.count > 1, others.count > 1 else { return 0 }
        var pairs: [Int64: Int] = [:]
        for (group, other) in zip(first, second) { pairs[Int64(group) << 32 | Int64(other), default: 0] += 1 }
        let total = Double(n)
        // The pairs are sorted because the order of a dictionary varies between runs, and the rounding error
        // of the sum depends on the order.
        let information = pairs.sorted { $0.key < $1.key }.reduce(0.0) { sum, pair in
            let (a, b) = (sizes[Int(pair.key >> 32)], others[Int(pair.key & 0xFFFF_FFFF)])
            let count = Double(pair.value)
            return sum + count / total * log(total * count / (Double(a) * Double(b)))
        }
        let expected = expectation(sizes, others, n)
        let mean = (Self.entropy(sizes, total) + Self.entropy(others, total)) / 2
        let range = mean - expected
        return abs(range) < 1e-12 ? 0 : (information - expected) / range
    }

    private static func entropy(_ sizes: [Int], _ total: Double) -> Double {
        sizes.reduce(0.0) { sum, size in
            size > 0 ? sum - Double(size) / total * log(Double(size) / total) : sum
        }
    }

    /// Returns the expected mutual information of random partitions with the given group sizes
    /// (hypergeometric model; equation 24a of the paper). Pairs of equal sizes are computed once.
    private func expectation(_ sizes: [Int], _ others: [Int], _ n: Int) -> Double {
        let (distinct, distinctOthers) = (Self.histogram(sizes), Self.histogram(others))
        let total = Double(n)
        var sum = 0.0
        for (a, count) in distinct {
            for (b, otherCount) in distinctOthers {
                let fixed =
                    logFactorials[a] + logFactorials[b] + logFactorials[n - a] + logFactorials[n - b]
                    - logFactorials[n]
                var term = 0.0
                for shared in max(1, a + b - n)...max(1, min(a, b)) {
                    let probability = exp(
                        fixed - logFactorials[shared] - logFactorials[a - shared]
                            - logFactorials[b - shared] - logFactorials[n - a - b + shared])
                    let value = Double(shared)
                    term += value / total * log(total * value / (Double(a) * Double(b))) * probability
                }
                sum += term * Double(count * otherCount)
            }
        }
        return sum
    }

    /// Returns each size above 0 with the number of groups of that size, in ascending order.
    private static func histogram(_ sizes: [Int]) -> [(size: Int, count: Int)] {
        var counts: [Int: Int] = [:]
        for size in sizes where size > 0 { counts[size, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { (size: $0.key, count: $0.value) }
    }
}
