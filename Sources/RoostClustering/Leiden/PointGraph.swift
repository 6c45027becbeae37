import RoostVectors

/// Distinct points with the graph of their nearest neighbors.
struct PointGraph {
    let points: Matrix
    let nearest: NearestNeighbors
    let leiden: Leiden

    private static let neighbors = 15
    /// The number of neighbors below ``smallCount`` points. With fewer, such a small graph might break into pieces by
    /// chance.
    private static let (smallNeighbors, smallCount) = (25, 1000)

    /// Finds the nearest neighbors of each point.
    ///
    /// - Throws: `CancellationError`.
    init(_ points: Matrix, seed: UInt64) throws {
        self.points = points
        let wanted = points.rows < Self.smallCount ? Self.smallNeighbors : Self.neighbors
        nearest = try NearestNeighbors.find(in: points, k: min(wanted, points.rows - 1), seed: seed)
        try Task.checkCancellation()
        leiden = Leiden(NeighborGraph.make(nearest))
    }

    /// The resolution of regions: between two of them, there is less than a sixteenth of the edge weight that is
    /// expected by chance. On labeled sets, unrelated collections have at most .06 of it, and collections of one
    /// field have .1 or more (decision 10).
    static let regionResolution = 1.0 / 16

    /// Returns the region of each point.
    ///
    /// Joining two communities increases modularity at a resolution γ if the weight of the edges between them
    /// exceeds γ times its expectation in a random graph with the same degrees. So the communities at a low
    /// resolution are the parts that almost no edge connects.
    func regions() throws -> [Int32] {
        var generator = SeededGenerator(seed: 0)
        return try leiden.communities(resolution: Self.regionResolution, using: &generator)
    }

    /// Parts are reported only if their assortativity reaches this value: at least half of the edges that would
    /// join different parts by chance join the same part.
    private static let minimumAssortativity = 0.5

    /// Returns the communities with the highest modularity; `nil` if they are not clearly separated.
    func parts() throws -> [Int32]? {
        var generator = SeededGenerator(seed: 0)
        let communities = try leiden.communities(resolution: 1, using: &generator)
        return leiden.assortativity(of: communities) >= Self.minimumAssortativity ? communities : nil
    }
}
