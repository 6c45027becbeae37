import Foundation
public import RoostVectors

/// Places vectors in a plane so that who is near whom stays near: UMAP's layout (McInnes, Healy & Melville
/// 2018, section 3.2), begun from the first two principal components.
///
/// Neighbours attract each other, as often as their edge weighs; chance others are pushed away. The same
/// vectors and seed give the same places, whatever the number of threads.
public struct NeighborLayout: Sendable {
    /// (n, 2): about 20 across.
    public private(set) var places: Matrix
    /// The nearest others of each row (n), nearest first, with one less the cosine.
    public private(set) var neighbors: [[(row: Int, distance: Float)]]

    /// For a least distance of 0.1: the curve 1 / (1 + a · x^(2 b)) that is nearest to it.
    private static let (a, b) = (1.577, 0.8951)
    /// So many others push a point away for each that attracts it.
    private static let pushes = 5
    /// No single move is farther.
    private static let farthest = 4.0

    /// - Parameters:
    ///   - vectors: (n, d), unit length.
    ///   - neighbors: how many nearest others each is joined with.
    ///   - rounds: how often the strongest edge attracts; `nil` for 300 up to 10,000 vectors, fewer beyond.
    /// - Throws: `CancellationError`.
    /// - Complexity: that of finding the neighbours, and O(n · neighbors · rounds).
    @concurrent
    public init(
        of vectors: Matrix, neighbors count: Int = 15, rounds: Int? = nil, seed: UInt64 = 0
    ) async throws {
        let n = vectors.rows
        let distinct = DistinctRows(of: vectors)
        let points = vectors.selecting(distinct.rows)
        let m = points.rows
        let k = max(0, min(count, m - 1))
        let nearest = try NearestNeighbors.find(in: points, k: k, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var places = Self.start(points, using: &generator)
        let rounds = rounds ?? (m <= 10_000 ? 300 : m <= 50_000 ? 150 : 80)
        if m > 1 { try Self.relax(&places, NeighborGraph.make(nearest), rounds: rounds, using: &generator) }
        // Copies of one vector lie around its place, not hidden behind each other.
        var result = Matrix(rows: n, columns: 2)
        for row in 0..<n {
            let point = distinct.places[row]
            let isCopy = point.map { distinct.rows[$0] != row } ?? true
            for axis in 0..<2 {
                let spread = isCopy ? 0.05 * generator.nextNormal() : 0
                result[row, axis] = Float((point.map { places[2 * $0 + axis] } ?? 0) + spread)
            }
        }
        self.places = result
        neighbors = (0..<n).map { row in
            guard let point = distinct.places[row] else { return [] }
            return (point * k..<(point + 1) * k).compactMap { place in
                guard nearest.scores[place] > -.infinity else { return nil }
                return (distinct.rows[Int(nearest.rows[place])], max(0, 1 - nearest.scores[place]))
            }
        }
    }

    /// The first two principal components, 20 across, with a little chance so that nobody lies on another.
    private static func start(_ points: Matrix, using generator: inout SeededGenerator) -> [Double] {
        var places = [Double](repeating: 0, count: 2 * points.rows)
        if let components = PrincipalComponents(of: points, limit: 2) {
            let projected = components.project(points)
            for row in 0..<points.rows {
                for axis in 0..<min(2, projected.columns) {
                    places[2 * row + axis] = Double(projected[row, axis])
                }
            }
        }
        let largest = places.lazy.map(abs).max() ?? 0
        return places.map { (largest > 0 ? $0 * 10 / largest : 0) + 1e-3 * generator.nextNormal() }
    }

    private static func relax(
        _ places: inout [Double], _ graph: WeightedGraph, rounds: Int, using generator: inout SeededGenerator
    ) throws {
        let n = graph.count
        let strongest = graph.weights.max() ?? 0
        guard n > 1, strongest > 0 else { return }
        // An edge attracts in as many rounds as its weight's share of the strongest says.
        var due = graph.weights.map { Double(strongest / $0) }
        let periods = due
        for round in 1...max(1, rounds) {
            try Task.checkCancellation()
            let rate = 1 - Double(round - 1) / Double(max(1, rounds))
            for node in 0..<n {
                for edge in graph.starts[node]..<graph.starts[node + 1] where due[edge] <= Double(round) {
                    due[edge] += periods[edge]
                    attract(&places, node, Int(graph.targets[edge]), rate)
                    for _ in 0..<pushes {
                        let other = generator.nextIndex(below: n)
                        if other != node { push(&places, node, other, rate) }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func attract(_ places: inout [Double], _ node: Int, _ other: Int, _ rate: Double) {
        let (x, y) = (places[2 * node] - places[2 * other], places[2 * node + 1] - places[2 * other + 1])
        let square = x * x + y * y
        guard square > 0 else { return }
        let power = pow(square, b)
        let force = -2 * a * b * power / square / (1 + a * power)
        let (dx, dy) = (bounded(force * x) * rate, bounded(force * y) * rate)
        places[2 * node] += dx
        places[2 * node + 1] += dy
        places[2 * other] -= dx
        places[2 * other + 1] -= dy
    }

    @inline(__always)
    private static func push(_ places: inout [Double], _ node: Int, _ other: Int, _ rate: Double) {
        let (x, y) = (places[2 * node] - places[2 * other], places[2 * node + 1] - places[2 * other + 1])
        let square = x * x + y * y
        let force = 2 * b / ((0.001 + square) * (1 + a * pow(square, b)))
        places[2 * node] += bounded(force * x) * rate
        places[2 * node + 1] += bounded(force * y) * rate
    }

    @inline(__always)
    private static func bounded(_ move: Double) -> Double { min(farthest, max(-farthest, move)) }
}
