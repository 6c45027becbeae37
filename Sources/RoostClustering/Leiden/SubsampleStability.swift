import RoostVectors

/// Measures, for each resolution, how well the partition of all points agrees with the partitions of
/// subsamples.
///
/// Groups that exist in the data are found again in a random part of the data (Ben-Hur, Elisseeff & Guyon
/// 2002; consensus clustering: Monti et al. 2003). Each subsample gets its own graph and
/// ``ResolutionLadder``. The agreement is the adjusted mutual information on the subsample, which is
/// corrected for the agreement of many small groups by chance.
struct SubsampleStability {
    /// The mean agreement for each resolution, fine to coarse, smoothed over neighboring resolutions; at
    /// most 1.
    let means: [Double]

    /// The share of the points in a subsample.
    private static let share = 0.8
    /// The maximum number of points in a subsample. It limits the time for large matrices.
    private static let maximumSize = 4000
    /// The range of the number of subsamples. Small subsamples vary more, so more of them are used for a
    /// small matrix. Within this range, all subsamples together have about ``pointBudget`` points.
    private static let countRange = 8...100
    private static let pointBudget = 24_000

    /// Compares partitions with those of subsamples.
    ///
    /// - Parameters:
    ///   - partitions: The groups of all points, for each resolution of the ladder.
    ///   - points: The points, (n, d), unit length, all different.
    ///   - neighbors: The number of nearest neighbors of each point in a graph.
    /// - Throws: `CancellationError`.
    init(
        of partitions: [[Int32]], _ points: Matrix, neighbors: Int, ladder: ResolutionLadder, seed: UInt64
    ) throws {
        let n = points.rows
        let size = min(Self.maximumSize, Int((Self.share * Double(n)).rounded()))
        let count = min(
            max(Self.pointBudget / max(1, size), Self.countRange.lowerBound), Self.countRange.upperBound)
        var generator = SeededGenerator(seed: seed)
        var samples: [Sample] = []
        for _ in 0..<count where size > 1 {
            try Task.checkCancellation()
            let rows = generator.permutation(n).prefix(size).sorted().map { Int($0) }
            let nearest = try NearestNeighbors.find(
                in: points.selecting(rows), k: min(neighbors, size - 1), seed: seed)
            samples.append(Sample(rows: rows, graph: NeighborGraph.make(nearest), seed: generator.next()))
        }
        let information = MutualInformation(maximumCount: size)
        var values = [[Double]](repeating: [], count: samples.count)
        values.withUnsafeMutableBufferPointer { values in
            guard let base = values.baseAddress else { return }
            let output = DisjointWrites(base)
            Parallel.forEachBlock(of: samples.count, size: 1) { [samples] block in
                output[block.lowerBound] = samples[block.lowerBound].agreements(
                    with: partitions, ladder: ladder, information)
            }
        }
        try Task.checkCancellation()
        means = Self.smoothed(
            partitions.indices.map { [values] index in
                values.reduce(0) { $0 + $1[index] } / Double(max(1, values.count))
            })
    }

    /// Returns weighted means over neighboring resolutions, with weights 1, 2 and 1. They favor a resolution
    /// between two stable ones over an isolated peak, which often occurs by chance.
    private static func smoothed(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            (values[max(0, index - 1)] + 2 * values[index] + values[min(values.count - 1, index + 1)]) / 4
        }
    }

    /// A random part of the points.
    private struct Sample {
        var rows: [Int]
        var graph: WeightedGraph
        var seed: UInt64

        /// Returns the agreement for each resolution; all 0 if the task is cancelled.
        func agreements(
            with partitions: [[Int32]], ladder: ResolutionLadder, _ information: MutualInformation
        ) -> [Double] {
            var generator = SeededGenerator(seed: seed)
            // Only cancellation throws an error, and the caller discards the result in that case.
            guard let own = try? ladder.partitions(of: Leiden(graph), using: &generator) else {
                return partitions.map { _ in 0 }
            }
            return zip(partitions, own).map { whole, part in
                // If either partition consists of a single group, their agreement is no evidence for groups.
                guard part.contains(where: { $0 > 0 }), whole.contains(where: { $0 > 0 }) else { return 0 }
                return information.adjusted(Leiden.renumbered(rows.map { whole[$0] }), part)
            }
        }
    }
}
