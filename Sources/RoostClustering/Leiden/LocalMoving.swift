import RoostVectors

/// The first phase of the Leiden algorithm, fast local moving: visits nodes in random order and moves each to
/// the neighboring community with the highest gain, or to an empty one. When a node moves, its neighbors in
/// other communities are visited again. The phase ends when no node is left to visit.
struct LocalMoving {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    /// The community of each node.
    private(set) var communities: [Int32]
    /// The sum of the masses of each community.
    private var totals: [Double]
    /// The number of nodes of each community.
    private var sizes: [Int32]
    /// The communities without nodes.
    private var empty: [Int32] = []

    /// The number of visits between two checks for cancellation.
    private static let visitsPerCheck = 16_384
    /// The minimum gain of a move, relative to the mass term. A gain smaller than the rounding errors could
    /// move two nodes back and forth forever.
    private static let minimumRelativeGain = 1e-9
    /// Keeps the minimum gain above 0 for nodes whose mass term is tiny.
    private static let minimumMassTerm = 1e-3

    /// Prepares the phase.
    ///
    /// - Parameters:
    ///   - graph: The graph.
    ///   - masses: The mass of each node.
    ///   - factor: λ, the factor of the mass term of the gain.
    ///   - communities: The number of each node's initial community, which must be less than the number of
    ///     nodes.
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

    /// Moves nodes until no move gains anything.
    ///
    /// - Parameters:
    ///   - movable: For each node, whether it may move; `nil` if all nodes may move.
    ///   - generator: The source of random numbers.
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

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - order: All nodes, in the order in which they are first visited.
    ///   - movable: For each node, whether it may move; `nil` if all nodes may move.
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

    /// Adds a node unless it is already waiting.
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
    /// The communities of the node's neighbors.
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
