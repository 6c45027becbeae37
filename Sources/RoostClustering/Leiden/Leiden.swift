import RoostVectors

/// Communities of a graph by the Leiden algorithm (Traag, Waltman & van Eck 2019): nodes are moved to the
/// neighbouring community that gains most, communities are refined into well-connected parts, the graph of
/// the parts is taken, and so on until nothing moves.
///
/// What is gained by a node v in a community C is w(v, C) - λ · m(v) · m(C), where w is the weight of the
/// edges between them and m are masses. With a node's strength for its mass and λ = γ / 2W this is modularity
/// at the resolution γ (Reichardt & Bornholdt 2006); with 1 for its mass and λ = γ the constant Potts model
/// (Traag et al. 2011).
struct Leiden {
    /// What a community is worth.
    enum Quality: String, Sendable {
        case modularity
        case constantPotts = "constant-potts"
    }

    let graph: WeightedGraph
    /// One for each node.
    let masses: [Double]
    /// λ at a resolution of 1.
    let unit: Double

    init(_ graph: WeightedGraph, quality: Quality = .modularity) {
        self.graph = graph
        switch quality {
        case .modularity:
            masses = graph.strengths
            let total = masses.reduce(0, +)
            unit = total > 0 ? 1 / total : 0
        case .constantPotts:
            masses = Array(repeating: 1, count: graph.count)
            unit = 1
        }
    }

    private init(_ graph: WeightedGraph, masses: [Double], unit: Double) {
        (self.graph, self.masses, self.unit) = (graph, masses, unit)
    }

    /// The community of each node, as numbers from 0 without gaps.
    ///
    /// - Parameters:
    ///   - start: communities to begin with; `nil`: each node its own.
    ///   - rounds: how often all of it is done again from what was found, at most.
    /// - Throws: `CancellationError`.
    func communities(
        resolution: Double, from start: [Int32]? = nil, rounds: Int = 2,
        using generator: inout SeededGenerator
    ) throws -> [Int32] {
        var communities = start ?? (0..<Int32(graph.count)).map { $0 }
        for _ in 0..<rounds {
            let before = communities
            try improve(&communities, factor: unit * resolution, using: &generator)
            if communities == before { break }
        }
        return communities
    }

    /// Communities to which new nodes have come: each goes where it gains most, to nodes that were there or
    /// to other new ones; what the new ones have become together may then join what was there as a whole.
    /// Nobody else moves.
    ///
    /// - Parameters:
    ///   - start: with a community of its own for each new node.
    /// - Throws: `CancellationError`.
    func placing(
        _ isNew: [Bool], in start: [Int32], resolution: Double, using generator: inout SeededGenerator
    ) throws -> [Int32] {
        let factor = unit * resolution
        var moving = LocalMoving(graph, masses, factor: factor, start)
        try moving.run(only: isNew, using: &generator)
        let placed = Self.renumbered(moving.communities)
        var isOfNew = [Bool](repeating: true, count: Int((placed.max() ?? -1) + 1))
        for (node, community) in placed.enumerated() where !isNew[node] { isOfNew[Int(community)] = false }
        let level = contracted(placed)
        let alone = (0..<Int32(level.graph.count)).map { $0 }
        var wholes = LocalMoving(level.graph, level.masses, factor: factor, alone)
        try wholes.run(only: isOfNew, using: &generator)
        return Self.renumbered(placed.map { wholes.communities[Int($0)] })
    }

    /// The graph of communities, with what they weigh.
    func contracted(_ communities: [Int32]) -> Leiden {
        let count = (communities.max() ?? -1) + 1
        var sums = [Double](repeating: 0, count: Int(count))
        for (node, community) in communities.enumerated() { sums[Int(community)] += masses[node] }
        return Leiden(graph.contracted(communities, count: Int(count)), masses: sums, unit: unit)
    }

    private func improve(
        _ communities: inout [Int32], factor: Double, using generator: inout SeededGenerator
    ) throws {
        var level = self
        // Where the level's nodes are of the graph's.
        var place = (0..<Int32(graph.count)).map { $0 }
        var current = communities
        while true {
            try Task.checkCancellation()
            var moving = LocalMoving(level.graph, level.masses, factor: factor, current)
            try moving.run(using: &generator)
            current = Self.renumbered(moving.communities)
            let count = Int((current.max() ?? -1) + 1)
            guard count < level.graph.count else { break }
            var parts = Refinement(level.graph, level.masses, factor: factor, within: current)
            parts.run(using: &generator)
            let refined = Self.renumbered(parts.communities)
            let partCount = Int((refined.max() ?? -1) + 1)
            // Nothing could be joined: the parts would be the nodes again.
            guard partCount < level.graph.count else { break }
            var ofParts = [Int32](repeating: 0, count: partCount)
            for (node, part) in refined.enumerated() { ofParts[Int(part)] = current[node] }
            level = level.contracted(refined)
            for node in place.indices { place[node] = refined[Int(place[node])] }
            current = ofParts
        }
        communities = Self.renumbered(place.map { current[Int($0)] })
    }

    /// The same communities, numbered in the order of their first nodes.
    static func renumbered(_ communities: [Int32]) -> [Int32] {
        var numbers = [Int32](repeating: -1, count: Int((communities.max() ?? -1) + 1))
        var next: Int32 = 0
        return communities.map { community in
            if numbers[Int(community)] < 0 {
                numbers[Int(community)] = next
                next += 1
            }
            return numbers[Int(community)]
        }
    }
}

extension SeededGenerator {
    /// Numbers from 0 in a random order.
    mutating func permutation(_ count: Int) -> [Int32] {
        var order = (0..<Int32(count)).map { $0 }
        for place in order.indices.dropLast() {
            order.swapAt(place, place + nextIndex(below: order.count - place))
        }
        return order
    }
}
