import Foundation
import RoostVectors

/// Distinct points with the graph of their nearest neighbors.
struct PointGraph {
    let points: Matrix
    let nearest: NearestNeighbors
    let leiden: Leiden

    /// If there are fewer points than this, each of them has at least ``smallNeighbors`` neighbors.
    private static let smallCount = 1000
    private static let smallNeighbors = 25

    /// Finds the nearest neighbors of each point.
    ///
    /// - Throws: `CancellationError`.
    init(_ points: Matrix, neighbors: Int, seed: UInt64) throws {
        let (n, wanted) = (points.rows, max(neighbors, Self.smallNeighbors))
        self.points = points
        nearest = try NearestNeighbors.find(
            in: points, k: min(n < Self.smallCount ? wanted : neighbors, n - 1), seed: seed)
        try Task.checkCancellation()
        leiden = Leiden(NeighborGraph.make(nearest))
    }

    /// The communities at a lower resolution than this are regions: parts between which there are fewer edges
    /// than this share of those expected by chance.
    static let regionResolution = Double(ProcessInfo.processInfo.environment["RG"] ?? "0.06")!

    /// Returns the region of each point.
    ///
    /// Two parts of a graph are communities at a resolution γ if the weight of the edges between them is below
    /// γ times its expectation in a random graph with the same degrees.
    func regions() throws -> [Int32] {
        guard Self.regionResolution > 0 else { return [Int32](repeating: 0, count: points.rows) }
        var generator = SeededGenerator(seed: 0)
        return try leiden.communities(resolution: Self.regionResolution, using: &generator)
    }

    /// Parts are reported only if their assortativity reaches this value: at least half of the edges that would
    /// join different parts by chance join the same part.
    private static let minimumAssortativity = Double(ProcessInfo.processInfo.environment["RA"] ?? "0.5")!

    /// Returns the communities with the highest modularity; `nil` if they are not clearly separated.
    func parts() throws -> [Int32]? {
        var generator = SeededGenerator(seed: 0)
        let communities = try leiden.communities(resolution: 1, using: &generator)
        return leiden.assortativity(of: communities) >= Self.minimumAssortativity ? communities : nil
    }
}
