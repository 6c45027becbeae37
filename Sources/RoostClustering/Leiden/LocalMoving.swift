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
        var links = CommunityLinks(count: graph.count)
        var visits = 0
        while let node = queue.popFirst() {
            visits += 1
            if visits % Self.visitsPerCheck == 0 { try Task.checkCancellation() }
            links.add(graph, node, communities)
            let own = communities[node]
            let best = bestCommunity(for: node, links)
            links.removeAll()
            guard best != own else { continue }
            move(node, from: own, to: best)
            for edge in graph.starts[node]..<graph.starts[node + 1] {
                let other = Int(graph.targets[edge])
                if communities[other] != best { queue.append(other) }
            }
        }
    }

    /// Returns the community with the highest gain for a node: its own, a neighboring one, or an empty one.
    @inline(__always)
    private mutating func bestCommunity(for node: Int, _ links: borrowing CommunityLinks) -> Int32 {
        let own = communities[node]
        let mass = masses[node]
        let minimumGain =
            Self.minimumRelativeGain * (Self.minimumMassTerm + factor * mass * totals[Int(own)])
        var best = own
        var bestGain = links.weights[Int(own)] - factor * mass * (totals[Int(own)] - mass)
        for other in links.communities where other != own {
            let gain = links.weights[Int(other)] - factor * mass * totals[Int(other)]
            if gain > bestGain + minimumGain { (best, bestGain) = (other, gain) }
        }
        if bestGain < -minimumGain, sizes[Int(own)] > 1, let free = empty.popLast() { return free }
        return best
    }

    @inline(__always)
    private mutating func move(_ node: Int, from old: Int32, to new: Int32) {
        totals[Int(old)] -= masses[node]
        sizes[Int(old)] -= 1
        if sizes[Int(old)] == 0 {
            // The total of an empty community is exactly 0, but the subtractions leave a rounding error.
            totals[Int(old)] = 0
            empty.append(old)
        }
        totals[Int(new)] += masses[node]
        sizes[Int(new)] += 1
        communities[node] = new
    }
}

/// A queue of the nodes that wait to be visited, each at most once. It is a ring buffer with room for all
/// nodes.
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

/// The weights of a node's edges to the communities of its neighbors.
private struct CommunityLinks: ~Copyable {
    /// The weight of the edges to each community; 0 for a community without edges.
    private(set) var weights: [Double]
    private(set) var communities: [Int32] = []

    init(count: Int) {
        weights = [Double](repeating: 0, count: count)
        // This is enough for most nodes, because a node usually has few neighbors.
        communities.reserveCapacity(256)
    }

    @inline(__always)
    mutating func add(_ graph: WeightedGraph, _ node: Int, _ communityOf: [Int32]) {
        for edge in graph.starts[node]..<graph.starts[node + 1] {
            let community = communityOf[Int(graph.targets[edge])]
            if weights[Int(community)] == 0 { communities.append(community) }
            weights[Int(community)] += Double(graph.weights[edge])
        }
    }

    @inline(__always)
    mutating func removeAll() {
        for community in communities { weights[Int(community)] = 0 }
        communities.removeAll(keepingCapacity: true)
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
        for node in 0..<n {
            for edge in graph.starts[node]..<graph.starts[node + 1]
            where within[Int(graph.targets[edge])] == within[node] {
                outward[node] += Double(graph.weights[edge])
            }
        }
        func isWellConnected(_ part: Int, _ community: Int32) -> Bool {
            outward[part] >= factor * totals[part] * (communityMass[Int(community)] - totals[part])
                - Self.roundingTolerance
        }
        var sums = [Double](repeating: 0, count: n)
        var touched: [Int32] = []
        for node in generator.permutation(n).map({ Int($0) }) {
            let own = Int(parts[node])
            guard sizes[own] == 1, isWellConnected(own, within[node]) else { continue }
            for edge in graph.starts[node]..<graph.starts[node + 1] {
                let other = Int(graph.targets[edge])
                guard within[other] == within[node] else { continue }
                let part = parts[other]
                if sums[Int(part)] == 0 { touched.append(part) }
                sums[Int(part)] += Double(graph.weights[edge])
            }
            var best = (part: own, gain: 0.0)
            for part in touched where Int(part) != own && isWellConnected(Int(part), within[node]) {
                let gain = sums[Int(part)] - factor * masses[node] * totals[Int(part)]
                if gain > best.gain { best = (Int(part), gain) }
            }
            if best.part != own {
                totals[best.part] += masses[node]
                sizes[best.part] += 1
                // The edges between the node and the part are now inside the part, so they are no longer
                // counted.
                outward[best.part] += outward[own] - 2 * sums[best.part]
                (totals[own], sizes[own], outward[own]) = (0, 0, 0)
                parts[node] = Int32(best.part)
            }
            for part in touched { sums[Int(part)] = 0 }
            touched.removeAll(keepingCapacity: true)
        }
    }
}
