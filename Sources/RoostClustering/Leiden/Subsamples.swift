import RoostVectors

/// Random parts of a set of points, each with the graph of its nearest neighbors. Groups that exist in the
/// data are found again in them (Ben-Hur, Elisseeff & Guyon 2002; consensus clustering: Monti et al. 2003).
struct Subsamples: Sendable {
    /// One random part.
    struct Sample: Sendable {
        /// The points of the part, ascending.
        var rows: [Int]
        /// The graph of these points.
        var graph: WeightedGraph
        /// The seed of the communities of the graph.
        var seed: UInt64
    }

    let samples: [Sample]

    /// The share of the points in a subsample.
    static let share = 0.8
    /// The maximum number of points in a subsample. It limits the time for large matrices.
    static let maximumSize = 4000
    /// The range of the number of subsamples. Small subsamples vary more, so more of them are used for a
    /// small matrix. Within this range, all subsamples together have about ``pointBudget`` points.
    private static let countRange = 8...100
    private static let pointBudget = 24_000

    /// Returns the number of points in a subsample.
    ///
    /// - Parameter count: The number of all points.
    static func size(of count: Int) -> Int { min(maximumSize, Int((share * Double(count)).rounded())) }

    /// Draws the subsamples and builds their graphs.
    ///
    /// - Parameters:
    ///   - points: The points, (n, d), unit length, all different.
    ///   - neighbors: The number of nearest neighbors of each point in a graph.
    ///   - seed: The seed of the random choices.
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
    /// - Parameter resolutions: Resolutions in descending order.
    /// - Returns: For each sample and each resolution, the group of each point of the sample.
    func partitions(at resolutions: ResolutionLadder) throws -> [[[Int32]]] {
        var found = [[[Int32]]](repeating: [], count: samples.count)
        found.withUnsafeMutableBufferPointer { found in
            guard let base = found.baseAddress else { return }
            let output = DisjointWrites(base)
            Parallel.forEachBlock(of: samples.count, size: 1) { block in
                let sample = samples[block.lowerBound]
                var generator = SeededGenerator(seed: sample.seed)
                // Only cancellation throws an error, and it is checked below.
                let partitions = try? resolutions.partitions(of: Leiden(sample.graph), using: &generator)
                output[block.lowerBound] = partitions ?? []
            }
        }
        try Task.checkCancellation()
        return found
    }
}
