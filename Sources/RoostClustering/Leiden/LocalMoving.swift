import RoostVectors

/// The first phase of Leiden: every node goes to the neighbouring community where it gains most, or to one of
/// its own; whoever has neighbours that have moved is looked at again, until nobody gains anything.
struct LocalMoving {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    private(set) var communities: [Int32]
    private var totals: [Double]
    /// Communities without nodes.
    private var empty: [Int32] = []

    /// - Parameter communities: numbers below the number of nodes.
    init(_ graph: WeightedGraph, _ masses: [Double], factor: Double, _ communities: [Int32]) {
        (self.graph, self.masses, self.factor, self.communities) = (graph, masses, factor, communities)
        totals = [Double](repeating: 0, count: graph.count)
        var sizes = [Int](repeating: 0, count: graph.count)
        for (node, community) in communities.enumerated() {
            totals[Int(community)] += masses[node]
            sizes[Int(community)] += 1
        }
        empty = sizes.indices.reversed().filter { sizes[$0] == 0 }.map { Int32($0) }
    }

    /// - Parameter movable: who may move; `nil` for all.
    /// - Throws: `CancellationError`.
    mutating func run(only movable: [Bool]? = nil, using generator: inout SeededGenerator) throws {
        let n = graph.count
        guard n > 1 else { return }
        var sizes = [Int32](repeating: 0, count: n)
        for community in communities { sizes[Int(community)] += 1 }
        // A ring: as many places as nodes are enough, since none stands in it twice.
        var queue = generator.permutation(n)
        // Whoever may not move is never let into it.
        var waits = [Bool](repeating: true, count: n)
        var (head, waiting) = (0, n)
        if let movable {
            let movers = queue.filter { movable[Int($0)] }
            for (place, node) in movers.enumerated() { queue[place] = node }
            waiting = movers.count
        }
        var sums = [Double](repeating: 0, count: n)
        var touched: [Int32] = []
        touched.reserveCapacity(256)
        var visits = 0
        try graph.targets.withUnsafeBufferPointer { targets in
            try graph.weights.withUnsafeBufferPointer { weights in
                while waiting > 0 {
                    visits += 1
                    if visits % 16_384 == 0 { try Task.checkCancellation() }
                    let node = Int(queue[head])
                    head = head + 1 == n ? 0 : head + 1
                    waiting -= 1
                    waits[node] = false
                    let own = communities[node]
                    let edges = graph.starts[node]..<graph.starts[node + 1]
                    for edge in edges {
                        let other = communities[Int(targets[edge])]
                        if sums[Int(other)] == 0 { touched.append(other) }
                        sums[Int(other)] += Double(weights[edge])
                    }
                    let mass = masses[node]
                    // What is gained elsewhere counts only if it is more than rounding makes it: else two
                    // nodes could change places for ever.
                    let least = 1e-9 * (1e-3 + factor * mass * totals[Int(own)])
                    var best = (
                        community: own, gain: sums[Int(own)] - factor * mass * (totals[Int(own)] - mass)
                    )
                    for other in touched where other != own {
                        let gain = sums[Int(other)] - factor * mass * totals[Int(other)]
                        if gain > best.gain + least { best = (other, gain) }
                    }
                    if best.gain < -least, sizes[Int(own)] > 1, let free = empty.popLast() {
                        best = (free, 0)
                    }
                    for other in touched { sums[Int(other)] = 0 }
                    touched.removeAll(keepingCapacity: true)
                    guard best.community != own else { continue }
                    totals[Int(own)] -= mass
                    sizes[Int(own)] -= 1
                    if sizes[Int(own)] == 0 {
                        totals[Int(own)] = 0
                        empty.append(own)
                    }
                    totals[Int(best.community)] += mass
                    sizes[Int(best.community)] += 1
                    communities[node] = best.community
                    for edge in edges {
                        let other = Int(targets[edge])
                        guard !waits[other], communities[other] != best.community else { continue }
                        waits[other] = true
                        let tail = head + waiting
                        queue[tail >= n ? tail - n : tail] = Int32(other)
                        waiting += 1
                    }
                }
            }
        }
    }
}
