import RoostVectors

/// The first phase of the Leiden algorithm, fast local moving: visits nodes in random order and moves each to
/// the neighboring community with the highest gain, or to an empty one. When a node moves, its neighbors in
/// other communities are visited again. The phase ends when no node is left to visit.
struct LocalMoving {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    private(set) var communities: [Int32]
    private var totals: [Double]
    private var sizes: [Int32]
    private var empty: [Int32] = []

    private static let visitsPerCheck = 16_384
    /// The minimum gain of a move, relative to the mass term. A gain smaller than the rounding errors could
    /// move two nodes back and forth forever.
    private static let minimumRelativeGain = 1e-9
    /// Keeps the minimum gain above 0 for nodes whose mass term is tiny.
    private static let minimumMassTerm = 1e-3

    init(_ graph: WeightedGraph, _ masses: [Double], factor: Double, _ communities: [Int32]) {
        (self.graph, self.masses, self.factor, self.communities) = (graph, masses, factor, communities)
        totals = [Double](repeating: 0, count: graph.count)
        sizes = [Int32](repeating: 0, count: graph.count)
        for (node, community) in communities.enumerated() {
            totals[Int(community)] += masses[node]
            sizes[Int(community)] += 1
        }
        empty = sizes.indices.reversed().filter { [sizes] in sizes[$0] == 0 }.map { Int32($0) }
    }

    mutating func run(only movable: [Bool]? = nil, using generator: inout SeededGenerator) throws {
        guard graph.count > 1 else { return }
        var queue = NodeQueue(generator.permutation(graph.count), movable)
        // The weights of the edges of the visited node to each community, and the communities with such edges.
        var weightArray = [Double](repeating: 0, count: graph.count)
        var linkedArray = [Int32](repeating: 0, count: graph.count)
        let (graph, factor, masses) = (graph, factor, masses)
        // Most of the time of a run is spent here, so the indices, which the graph guarantees, are not checked.
        let (edgeTargets, edgeWeights, nodeMasses) = (graph.targets.span, graph.weights.span, masses.span)
        var linkWeights = weightArray.mutableSpan
        var linked = linkedArray.mutableSpan
        var (currentArray, totalArray) = (communities, totals)
        var communityOf = currentArray.mutableSpan
        var massOf = totalArray.mutableSpan
        var visits = 0
        while let node = queue.popFirst() {
            visits += 1
            if visits % Self.visitsPerCheck == 0 { try Task.checkCancellation() }
            let edges = graph.starts[node]..<graph.starts[node + 1]
            var count = 0
            for edge in edges {
                let community = communityOf[unchecked: Int(edgeTargets[unchecked: edge])]
                let sum = linkWeights[unchecked: Int(community)]
                linked[unchecked: count] = community
                count &+= sum == 0 ? 1 : 0
                linkWeights[unchecked: Int(community)] = sum + Double(edgeWeights[unchecked: edge])
            }
            let (own, mass) = (communityOf[unchecked: node], nodeMasses[unchecked: node])
            let scaledMass = factor * mass
            let ownTotal = massOf[unchecked: Int(own)]
            let minimumGain = Self.minimumRelativeGain * (Self.minimumMassTerm + scaledMass * ownTotal)
            var best = own
            var bestGain = linkWeights[unchecked: Int(own)] - scaledMass * (ownTotal - mass)
            for index in 0..<count {
                let other = linked[unchecked: index]
                let weight = linkWeights[unchecked: Int(other)]
                linkWeights[unchecked: Int(other)] = 0
                guard other != own else { continue }
                let gain = weight - scaledMass * massOf[unchecked: Int(other)]
                if gain > bestGain + minimumGain { (best, bestGain) = (other, gain) }
            }
            if bestGain < -minimumGain, sizes[Int(own)] > 1, let free = empty.popLast() { best = free }
            guard best != own else { continue }
            massOf[unchecked: Int(own)] -= mass
            sizes[Int(own)] -= 1
            if sizes[Int(own)] == 0 {
                // The total of an empty community is exactly 0, but the subtractions leave a rounding error.
                massOf[unchecked: Int(own)] = 0
                empty.append(own)
            }
            massOf[unchecked: Int(best)] += mass
            sizes[Int(best)] += 1
            communityOf[unchecked: node] = best
            for edge in edges {
                let other = Int(edgeTargets[unchecked: edge])
                if communityOf[unchecked: other] != best { queue.append(other) }
            }
        }
        communities = currentArray
    }
}

/// A queue of the nodes that wait to be visited, each at most once. It is a ring buffer with room for all nodes.
private struct NodeQueue {
    private var nodes: [Int32]
    private var head = 0
    private var count: Int
    /// For each node, whether it is waiting. Nodes that may not move are marked as waiting from the start, so
    /// they are never added to the queue.
    private var isWaiting: [Bool]

    init(_ order: [Int32], _ movable: [Bool]?) {
        (nodes, count) = (order, order.count)
        isWaiting = [Bool](repeating: true, count: order.count)
        guard let movable else { return }
        let movers = order.filter { movable[Int($0)] }
        nodes.replaceSubrange(0..<movers.count, with: movers)
        count = movers.count
    }

    @inline(__always)
    mutating func popFirst() -> Int? {
        guard count > 0 else { return nil }
        let node = Int(nodes[head])
        head = head + 1 == nodes.count ? 0 : head + 1
        count -= 1
        isWaiting[node] = false
        return node
    }

    @inline(__always)
    mutating func append(_ node: Int) {
        guard !isWaiting[node] else { return }
        isWaiting[node] = true
        let tail = head + count
        nodes[tail >= nodes.count ? tail - nodes.count : tail] = Int32(node)
        count += 1
    }
}

/// The second phase of the Leiden algorithm: visits each node of a community once and joins it to the part
/// with the highest gain, provided that both the node and the part are well connected to the rest of the
/// community. This guarantees that communities are connected.
struct Refinement {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    private let within: [Int32]
    private(set) var parts: [Int32]

    init(_ graph: WeightedGraph, _ masses: [Double], factor: Double, within: [Int32]) {
        (self.graph, self.masses, self.factor, self.within) = (graph, masses, factor, within)
        parts = (0..<Int32(graph.count)).map { $0 }
    }

    private static let roundingTolerance = 1e-12

    mutating func run(using generator: inout SeededGenerator) {
        let n = graph.count
        var communityMass = [Double](repeating: 0, count: n)
        for node in 0..<n { communityMass[Int(within[node])] += masses[node] }
        // The mass and the size of each part, and the weight of its edges to the rest of its community.
        var (totals, sizes) = (masses, [Int32](repeating: 1, count: n))
        var outward = [Double](repeating: 0, count: n)
        let (graph, factor, masses, within) = (graph, factor, masses, within)
        let (edgeTargets, edgeWeights, communityOf) = (graph.targets.span, graph.weights.span, within.span)
        for node in 0..<n {
            let community = communityOf[unchecked: node]
            var sum = 0.0
            for edge in graph.starts[node]..<graph.starts[node + 1]
            where communityOf[unchecked: Int(edgeTargets[unchecked: edge])] == community {
                sum += Double(edgeWeights[unchecked: edge])
            }
            outward[node] = sum
        }
        // The weights of the edges of the visited node to each part, and the parts with such edges.
        var sumArray = [Double](repeating: 0, count: n)
        var touchedArray = [Int32](repeating: 0, count: n)
        var sums = sumArray.mutableSpan
        var touched = touchedArray.mutableSpan
        var partOf = parts.mutableSpan
        for node in generator.permutation(n).map({ Int($0) }) {
            let (own, community) = (partOf[unchecked: node], communityOf[unchecked: node])
            let mass = communityMass[Int(community)]
            func isWellConnected(_ total: Double, _ outward: Double) -> Bool {
                outward >= factor * total * (mass - total) - Self.roundingTolerance
            }
            guard sizes[Int(own)] == 1, isWellConnected(totals[Int(own)], outward[Int(own)]) else { continue }
            var count = 0
            for edge in graph.starts[node]..<graph.starts[node + 1] {
                let other = Int(edgeTargets[unchecked: edge])
                guard communityOf[unchecked: other] == community else { continue }
                let part = partOf[unchecked: other]
                let sum = sums[unchecked: Int(part)]
                touched[unchecked: count] = part
                count &+= sum == 0 ? 1 : 0
                sums[unchecked: Int(part)] = sum + Double(edgeWeights[unchecked: edge])
            }
            var best = (part: own, gain: 0.0, weight: 0.0)
            for index in 0..<count {
                let part = touched[unchecked: index]
                let weight = sums[unchecked: Int(part)]
                sums[unchecked: Int(part)] = 0
                let gain = weight - factor * masses[node] * totals[Int(part)]
                guard gain > best.gain, part != own, isWellConnected(totals[Int(part)], outward[Int(part)])
                else { continue }
                best = (part, gain, weight)
            }
            guard best.part != own else { continue }
            totals[Int(best.part)] += masses[node]
            sizes[Int(best.part)] += 1
            // The edges between the node and the part are now inside the part, so they are no longer counted.
            outward[Int(best.part)] += outward[Int(own)] - 2 * best.weight
            (totals[Int(own)], sizes[Int(own)], outward[Int(own)]) = (0, 0, 0)
            partOf[unchecked: node] = best.part
        }
    }
}
