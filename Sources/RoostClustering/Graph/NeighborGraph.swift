import Foundation
import RoostVectors

/// The weighted nearest-neighbor graph of UMAP (McInnes, Healy & Melville 2018, section 3.1).
///
/// The nearest neighbor of a row has weight 1. The weights of the others decrease with their distance such
/// that the weights of a row add up to log₂(k + 1), whether its neighborhood is dense or sparse. If only one
/// of two rows is a neighbor of the other, the edge has that weight. If both are, the weights a and b combine
/// like probabilities: a + b - a · b.
enum NeighborGraph {
    static func make(_ neighbors: NearestNeighbors) -> WeightedGraph {
        let (n, k) = (neighbors.count, neighbors.k)
        let weights = Parallel.mapBlocks(of: n, size: 1024) { rows in
            rows.flatMap { row in
                let scores = neighbors.scores[row * k..<(row + 1) * k].prefix { $0 > -.infinity }
                return memberships(Array(scores)) + [Float](repeating: 0, count: k - scores.count)
            }
        }.flatMap(\.self)
        return symmetrized(neighbors, weights)
    }

    /// The upper bound of the search for a row's scale: cosine distances are at most 2.
    private static let maximumScale = 4.0
    /// The number of bisection steps; 40 steps narrow the scale to about 4e-12.
    private static let bisectionSteps = 40
    /// The minimum of a scale, relative to the mean distance: without it, weights of equally near neighbors
    /// would depend on rounding.
    private static let minimumRelativeScale = 1e-3

    static func memberships(_ scores: [Float]) -> [Float] {
        guard let nearest = scores.first else { return [] }
        // The cosine distance of each neighbor beyond that of the nearest one.
        let excess = scores.map { max(0, Double(nearest - $0)) }
        let target = log2(Double(scores.count + 1))
        var (low, high) = (0.0, maximumScale)
        for _ in 0..<bisectionSteps {
            let scale = (low + high) / 2
            let sum = excess.reduce(0) { $0 + exp(-$1 / max(scale, 1e-12)) }
            if sum > target { high = scale } else { low = scale }
        }
        let mean = excess.reduce(0, +) / Double(excess.count)
        let scale = max((low + high) / 2, mean * minimumRelativeScale, 1e-9)
        return excess.map { Float(max(exp(-$0 / scale), 1e-6)) }
    }

    /// Returns the undirected graph with an edge between two rows if one is a neighbor of the other.
    private static func symmetrized(_ neighbors: NearestNeighbors, _ weights: [Float]) -> WeightedGraph {
        let n = neighbors.count
        func weight(from row: Int, to other: Int) -> Float? {
            let nearest = neighbors.neighbors(of: row)
            return nearest.firstIndex(of: UInt32(other)).map { weights[$0] }
        }
        // Count the edges of each row: those to its neighbors, and those to rows of which it is a neighbor.
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
            let nearest = neighbors.neighbors(of: row)
            for index in nearest.indices {
                let (other, own) = (Int(nearest[index]), weights[index])
                if let reverse = weight(from: other, to: row) {
                    add(row, other, own + reverse - own * reverse)
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

/// An undirected weighted graph in compressed sparse row format: the edges of node i are `starts[i]..<starts[i + 1]`.
///
/// Every edge is stored at both of its nodes with the same weight. A node has no edge to itself.
struct WeightedGraph: Sendable {
    /// The index of each node's first edge; the array has n + 1 elements.
    var starts: [Int]
    /// The other node of each edge, ascending for each node.
    var targets: [UInt32]
    var weights: [Float]

    var count: Int { starts.count - 1 }

    var strengths: [Double] {
        (0..<count).map { node in
            weights[starts[node]..<starts[node + 1]].reduce(0.0) { $0 + Double($1) }
        }
    }

    /// Returns the graph whose nodes are groups of nodes. The weight between two groups is the sum of the
    /// weights between their nodes. Edges within a group are omitted.
    func contracted(_ groups: [Int32], count groupCount: Int) -> WeightedGraph {
        // Sort the nodes by group (counting sort).
        var firsts = [Int](repeating: 0, count: groupCount + 1)
        for group in groups { firsts[Int(group) + 1] += 1 }
        for group in 0..<groupCount { firsts[group + 1] += firsts[group] }
        var (members, fill) = ([UInt32](repeating: 0, count: groups.count), firsts)
        for (node, group) in groups.enumerated() {
            members[fill[Int(group)]] = UInt32(node)
            fill[Int(group)] += 1
        }
        // Most of the time of a clustering run is spent in such loops, so the indices, which the graph guarantees,
        // are not checked.
        var (targetArray, weightArray) = ([UInt32](repeating: 0, count: targets.count), weights)
        var (sumArray, starts) = ([Double](repeating: 0, count: groupCount), [0])
        starts.reserveCapacity(groupCount + 1)
        let (edgeTargets, edgeWeights, groupOf) = (targets.span, weights.span, groups.span)
        var sums = sumArray.mutableSpan
        var others = targetArray.mutableSpan
        var otherWeights = weightArray.mutableSpan
        var count = 0
        for group in 0..<groupCount {
            let first = count
            for member in members[firsts[group]..<firsts[group + 1]] {
                for edge in self.starts[Int(member)]..<self.starts[Int(member) + 1] {
                    let other = groupOf[unchecked: Int(edgeTargets[unchecked: edge])]
                    guard other != group else { continue }
                    let sum = sums[unchecked: Int(other)]
                    others[unchecked: count] = UInt32(bitPattern: other)
                    count &+= sum == 0 ? 1 : 0
                    sums[unchecked: Int(other)] = sum + Double(edgeWeights[unchecked: edge])
                }
            }
            for index in first..<count {
                otherWeights[unchecked: index] = Float(sums[unchecked: Int(others[unchecked: index])])
                sums[unchecked: Int(others[unchecked: index])] = 0
            }
            starts.append(count)
        }
        let unsorted = WeightedGraph(
            starts: starts, targets: Array(targetArray[..<count]), weights: Array(weightArray[..<count]))
        return unsorted.transposed.transposed
    }

    /// The graph with each edge stored at its other node. The targets of a node are ascending.
    private var transposed: WeightedGraph {
        var (targetArray, weightArray, fillArray) = (targets, weights, starts)
        let (edgeTargets, edgeWeights) = (targets.span, weights.span)
        var newTargets = targetArray.mutableSpan
        var newWeights = weightArray.mutableSpan
        var fill = fillArray.mutableSpan
        for node in 0..<count {
            for edge in starts[node]..<starts[node + 1] {
                let other = Int(edgeTargets[unchecked: edge])
                let index = fill[unchecked: other]
                newTargets[unchecked: index] = UInt32(truncatingIfNeeded: node)
                newWeights[unchecked: index] = edgeWeights[unchecked: edge]
                fill[unchecked: other] = index &+ 1
            }
        }
        return WeightedGraph(starts: starts, targets: targetArray, weights: weightArray)
    }
}
