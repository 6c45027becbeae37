import RoostVectors

/// Community detection by the Leiden algorithm (Traag, Waltman & van Eck 2019): moves each node to the
/// neighboring community with the highest gain, refines communities into well-connected parts, aggregates the
/// graph of the parts, and repeats until no node moves.
///
/// The gain of a node v in a community C is w(v, C) - λ · m(v) · m(C), where w is the weight of the edges between them
/// and m is the mass. The mass of a node is its strength (the total weight of its edges) and λ = γ / 2W, where W is the
/// total weight of all edges, so this is modularity at the resolution γ (Reichardt & Bornholdt 2006).
struct Leiden {
    let graph: WeightedGraph
    let masses: [Double]
    /// λ at a resolution of 1.
    let unit: Double

    init(_ graph: WeightedGraph) {
        let masses = graph.strengths
        let total = masses.reduce(0, +)
        self.init(graph, masses: masses, unit: total > 0 ? 1 / total : 0)
    }

    private init(_ graph: WeightedGraph, masses: [Double], unit: Double) {
        (self.graph, self.masses, self.unit) = (graph, masses, unit)
    }

    /// Returns the community of each node, numbered from 0 without gaps.
    func communities(
        resolution: Double, from start: [Int32]? = nil, rounds: Int = 2,
        using generator: inout SeededGenerator
    ) throws -> [Int32] {
        var communities = start ?? (0..<Int32(graph.count)).map { $0 }
        for _ in 0..<rounds {
            let previous = communities
            try improve(&communities, factor: unit * resolution, using: &generator)
            if communities == previous { break }
        }
        return communities
    }

    /// Adds new nodes to existing communities. Each new node joins the community with the highest gain, which
    /// may consist of existing nodes or of other new nodes. Then each community that consists only of new
    /// nodes may join another community. Existing nodes do not move.
    func adding(
        _ isNew: [Bool], to start: [Int32], resolution: Double, using generator: inout SeededGenerator
    ) throws -> [Int32] {
        let factor = unit * resolution
        var moving = LocalMoving(graph, masses, factor: factor, start)
        try moving.run(only: isNew, using: &generator)
        let assigned = Self.renumbered(moving.communities)
        var isAllNew = [Bool](repeating: true, count: Int((assigned.max() ?? -1) + 1))
        for (node, community) in assigned.enumerated() where !isNew[node] { isAllNew[Int(community)] = false }
        let level = contracted(assigned)
        let singletons = (0..<Int32(level.graph.count)).map { $0 }
        var merging = LocalMoving(level.graph, level.masses, factor: factor, singletons)
        try merging.run(only: isAllNew, using: &generator)
        return Self.renumbered(assigned.map { merging.communities[Int($0)] })
    }

    /// Returns a graph with one node for each community. The mass of a node is the total mass of its community.
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
        // For each node of the original graph, the node of the current level that contains it.
        var nodeOf = (0..<Int32(graph.count)).map { $0 }
        var current = communities
        while true {
            try Task.checkCancellation()
            var moving = LocalMoving(level.graph, level.masses, factor: factor, current)
            try moving.run(using: &generator)
            current = Self.renumbered(moving.communities)
            let count = Int((current.max() ?? -1) + 1)
            guard count < level.graph.count else { break }
            var refinement = Refinement(level.graph, level.masses, factor: factor, within: current)
            refinement.run(using: &generator)
            let refined = Self.renumbered(refinement.parts)
            let partCount = Int((refined.max() ?? -1) + 1)
            // If no nodes were joined, the next level would be the same as this one.
            guard partCount < level.graph.count else { break }
            var communityOfPart = [Int32](repeating: 0, count: partCount)
            for (node, part) in refined.enumerated() { communityOfPart[Int(part)] = current[node] }
            level = level.contracted(refined)
            for node in nodeOf.indices { nodeOf[node] = refined[Int(nodeOf[node])] }
            current = communityOfPart
        }
        communities = Self.renumbered(nodeOf.map { current[Int($0)] })
    }

    /// Returns the modularity of the communities at resolution 1, between -1/2 and 1.
    func modularity(of communities: [Int32]) -> Double {
        let (inside, chance) = edgeShares(within: communities)
        return inside - chance
    }

    /// Returns the modularity divided by its maximum for communities of these strengths (the assortativity
    /// coefficient; Newman 2003), at most 1; 0 for one community.
    func assortativity(of communities: [Int32]) -> Double {
        let (inside, chance) = edgeShares(within: communities)
        return chance < 1 ? (inside - chance) / (1 - chance) : 0
    }

    /// Returns the share of the edge weight within communities, and the share that is expected by chance.
    private func edgeShares(within communities: [Int32]) -> (inside: Double, chance: Double) {
        var (inside, total) = (0.0, 0.0)
        var strengths = [Double](repeating: 0, count: Int((communities.max() ?? -1) + 1))
        for node in 0..<graph.count {
            for edge in graph.starts[node]..<graph.starts[node + 1] {
                let weight = Double(graph.weights[edge])
                total += weight
                strengths[Int(communities[node])] += weight
                if communities[Int(graph.targets[edge])] == communities[node] { inside += weight }
            }
        }
        guard total > 0 else { return (0, 0) }
        return (inside / total, strengths.reduce(0) { $0 + ($1 / total) * ($1 / total) })
    }

    /// Returns the same communities, numbered in the order of their first nodes.
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
