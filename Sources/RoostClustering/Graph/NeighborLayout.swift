import Foundation
package import RoostVectors

/// A two-dimensional layout of vectors that places neighbors near each other. It is computed by the layout algorithm of
/// UMAP (McInnes, Healy & Melville 2018, section 3.2) and initialized with the first two principal components.
///
/// Neighbors attract each other in proportion to the weight of their edge, and each point is repelled by randomly
/// chosen points. The same vectors and seed give the same layout, regardless of the number of threads.
package struct NeighborLayout: Sendable {
    /// The coordinates of each row, (n, 2). They span about 20 units on each axis.
    package private(set) var positions: Matrix

    /// The parameters of the attraction curve 1 / (1 + a · x^(2b)). These are UMAP's fit for its default
    /// minimum distance of 0.1 and spread of 1.
    private static let (a, b) = (1.577, 0.8951)
    /// The number of random points that repel a point each time a neighbor attracts it. The value is UMAP's default.
    private static let negativeSamples = 5
    /// The maximum distance that a point moves along each axis in one step, as in UMAP's reference implementation.
    private static let maximumMove = 4.0
    /// The standard deviation of the random offset that is added to copies of a vector so that they do not
    /// hide each other.
    private static let copySpread = 0.05
    private static let neighbors = 15
    private static let initialExtent = 10.0
    /// The standard deviation of the random offset that is added to initial positions so that no two points coincide.
    private static let initialNoise = 1e-3

    /// Computes the layout.
    ///
    /// - Parameters:
    ///   - vectors: The vectors, (n, d), unit length.
    ///   - seed: The seed of the random moves.
    /// - Complexity: The cost of the neighbor search, plus O(n · neighbors · rounds).
    @concurrent
    package init(of vectors: Matrix, seed: UInt64 = 0) async throws {
        let n = vectors.rows
        let distinct = DistinctRows(of: vectors)
        let points = vectors.selecting(distinct.rows)
        let m = points.rows
        let k = max(0, min(Self.neighbors, m - 1))
        let nearest = try NearestNeighbors.find(in: points, k: k, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var positions = Self.start(points, using: &generator)
        // Fewer rounds for more points limit the running time.
        let rounds = m <= 10_000 ? 300 : m <= 50_000 ? 150 : 80
        try Self.relax(&positions, NeighborGraph.make(nearest), rounds: rounds, using: &generator)
        // Scatter the copies of a vector around the position of the vector.
        var result = Matrix(rows: n, columns: 2)
        for row in 0..<n {
            let point = distinct.indices[row]
            let isCopy = point.map { distinct.rows[$0] != row } ?? true
            for axis in 0..<2 {
                let spread = isCopy ? Self.copySpread * generator.nextNormal() : 0
                result[row, axis] = Float((point.map { positions[$0][axis] } ?? 0) + spread)
            }
        }
        self.positions = result
    }

    /// Returns the initial coordinates: the first two principal components, scaled to the initial range, with
    /// a little random noise.
    private static func start(_ points: Matrix, using generator: inout SeededGenerator) -> [SIMD2<Double>] {
        var positions = [SIMD2<Double>](repeating: .zero, count: points.rows)
        if let components = PrincipalComponents(of: points, limit: 2) {
            let projected = components.project(points)
            for row in 0..<points.rows {
                for axis in 0..<min(2, projected.columns) {
                    positions[row][axis] = Double(projected[row, axis])
                }
            }
        }
        let extent = positions.lazy.map { max(abs($0.x), abs($0.y)) }.max() ?? 0
        return positions.map { position in
            let noise = SIMD2(generator.nextNormal(), generator.nextNormal())
            return (extent > 0 ? position * initialExtent / extent : .zero) + initialNoise * noise
        }
    }

    private static func relax(
        _ positions: inout [SIMD2<Double>], _ graph: WeightedGraph, rounds: Int,
        using generator: inout SeededGenerator
    ) throws {
        let n = graph.count
        let strongest = graph.weights.max() ?? 0
        guard n > 1, strongest > 0 else { return }
        // Each edge is applied in only some of the rounds. The fraction of rounds is its weight divided by
        // the maximum weight.
        var due = graph.weights.map { Double(strongest / $0) }
        let periods = due
        let attraction = Force { -2 * a * b * pow($0, b - 1) / (1 + a * pow($0, b)) }
        let repulsion = Force { 2 * b / ((0.001 + $0) * (1 + a * pow($0, b))) }
        var places = positions.mutableSpan
        for round in 1...rounds {
            try Task.checkCancellation()
            let rate = 1 - Double(round - 1) / Double(rounds)
            for node in 0..<n {
                var place = places[unchecked: node]
                for edge in graph.starts[node]..<graph.starts[node + 1] where due[edge] <= Double(round) {
                    due[edge] += periods[edge]
                    let other = Int(graph.targets[edge])
                    let move = rate * attraction.move(by: place - places[unchecked: other])
                    place += move
                    places[unchecked: other] -= move
                    // The moves do not wait for each other, so the processor computes them at the same time.
                    var push = SIMD2<Double>.zero
                    for _ in 0..<negativeSamples {
                        let other = generator.nextIndex(below: n)
                        if other != node { push += repulsion.move(by: place - places[unchecked: other]) }
                    }
                    place += rate * push
                }
                places[unchecked: node] = place
            }
        }
    }

    /// A force between two points as a function of the square of their distance, interpolated between
    /// 16 values for each power of two. The relative error is below 3e-3.
    private struct Force {
        private static let exponents = -40..<24
        private static let mantissaBits: UInt64 = 4
        private static let shift = UInt64(Double.significandBitCount) - mantissaBits
        private static let first = pow(2, Double(exponents.lowerBound)).bitPattern
        private static let last = pow(2, Double(exponents.upperBound)).nextDown

        private let values: [Double]

        init(_ force: (Double) -> Double) {
            let count = UInt64(Self.exponents.count) << Self.mantissaBits
            values = (0...count).map { force(Double(bitPattern: Self.first + $0 << Self.shift)) }
        }

        /// Returns the move of a point along each axis, at most ``maximumMove``; zero for a point at the same place.
        @inline(__always)
        func move(by difference: SIMD2<Double>) -> SIMD2<Double> {
            let square = min(Self.last, (difference * difference).sum())  // `last` for NaN
            let bits = max(square.bitPattern, Self.first) - Self.first
            let index = Int(bits >> Self.shift)
            let share = Double(bits & (1 << Self.shift - 1)) / Double(1 << Self.shift)
            let values = values.span
            let (low, high) = (values[unchecked: index], values[unchecked: index + 1])
            return (difference * (low + share * (high - low)))
                .clamped(
                    lowerBound: .init(repeating: -maximumMove), upperBound: .init(repeating: maximumMove))
        }
    }
}
