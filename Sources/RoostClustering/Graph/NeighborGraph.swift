import Foundation
import RoostVectors

/// The graph of who is near whom, with UMAP's weights (McInnes, Healy & Melville 2018, section 3.1).
///
/// A row's nearest neighbour has weight 1; the others less the farther they are, so that all of a row's
/// weights add up to log₂ (k + 1) whether its surroundings are dense or sparse. Where only one of two is
/// among the other's nearest, its word counts; where both are, the weights are united as probabilities are.
enum NeighborGraph {
    /// - Complexity: O(n · k²).
    static func make(_ neighbors: NearestNeighbors) -> WeightedGraph {
        let (n, k) = (neighbors.count, neighbors.k)
        var weights = [Float](repeating: 0, count: n * k)
        weights.withUnsafeMutableBufferPointer { weights in
            guard let base = weights.baseAddress else { return }
            let output = DisjointWrites(base)
            Parallel.forEachBlock(of: n, size: 1024) { rows in
                for row in rows {
                    let scores = neighbors.scores[row * k..<(row + 1) * k].prefix { $0 > -.infinity }
                    for (place, weight) in memberships(Array(scores)).enumerated() {
                        output[row * k + place] = weight
                    }
                }
            }
        }
        return united(neighbors, weights)
    }

    /// The weights of one row's neighbours.
    ///
    /// - Parameter scores: their cosines with the row, best first.
    private static func memberships(_ scores: [Float]) -> [Float] {
        guard let nearest = scores.first else { return [] }
        // How much farther than the nearest, as cosine distances.
        let excess = scores.map { max(0, Double(nearest - $0)) }
        let target = log2(Double(scores.count + 1))
        var (low, high) = (0.0, 4.0)
        for _ in 0..<40 {
            let scale = (low + high) / 2
            let sum = excess.reduce(0) { $0 + exp(-$1 / max(scale, 1e-12)) }
            if sum > target { high = scale } else { low = scale }
        }
        // Where all are equally near, or nearly, no scale tells them apart.
        let mean = excess.reduce(0, +) / Double(excess.count)
        let scale = max((low + high) / 2, mean * 1e-3, 1e-9)
        return excess.map { Float(max(exp(-$0 / scale), 1e-6)) }
    }

    /// An edge wherever one of two names the other.
    private static func united(_ neighbors: NearestNeighbors, _ weights: [Float]) -> WeightedGraph {
        let n = neighbors.count
        func weight(from row: Int, to other: Int) -> Float? {
            let named = neighbors.neighbors(of: row)
            return named.firstIndex(of: UInt32(other)).map { weights[$0] }
        }
        // How many edges each row has: those that it names, and those that name it and that it does not.
        var starts = [Int](repeating: 0, count: n + 1)
        for row in 0..<n {
            for other in neighbors.neighbors(of: row).map({ Int($0) }) {
                starts[row + 1] += 1
                if weight(from: other, to: row) == nil { starts[other + 1] += 1 }
            }
        }
        for row in 0..<n { starts[row + 1] += starts[row] }
        var fill = starts
        var edges = [(target: UInt32, weight: Float)](repeating: (0, 0), count: starts[n])
        func add(_ row: Int, _ target: Int, _ weight: Float) {
            edges[fill[row]] = (UInt32(target), weight)
            fill[row] += 1
        }
        for row in 0..<n {
            let named = neighbors.neighbors(of: row)
            for place in named.indices {
                let (other, own) = (Int(named[place]), weights[place])
                if let back = weight(from: other, to: row) {
                    add(row, other, own + back - own * back)
                } else {
                    add(row, other, own)
                    add(other, row, own)
                }
            }
        }
        for row in 0..<n { edges[starts[row]..<starts[row + 1]].sort { $0.target < $1.target } }
        return WeightedGraph(starts: starts, targets: edges.map(\.target), weights: edges.map(\.weight))
    }
}
