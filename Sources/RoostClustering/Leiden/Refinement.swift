import RoostVectors

/// The second phase of Leiden: within each community nodes are joined to parts, each once, where it gains
/// most, if both the node and the part are well connected to the rest of the community. So no community has
/// parts that hang together by nothing.
struct Refinement {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    private let within: [Int32]
    /// The part of each node.
    private(set) var communities: [Int32]

    init(_ graph: WeightedGraph, _ masses: [Double], factor: Double, within: [Int32]) {
        (self.graph, self.masses, self.factor, self.within) = (graph, masses, factor, within)
        communities = (0..<Int32(graph.count)).map { $0 }
    }

    mutating func run(using generator: inout SeededGenerator) {
        let n = graph.count
        var whole = [Double](repeating: 0, count: n)
        for node in 0..<n { whole[Int(within[node])] += masses[node] }
        // Of each part: what it weighs, how many nodes it has, and its edges to the rest of its community.
        var (totals, sizes) = (masses, [Int32](repeating: 1, count: n))
        var outward = [Double](repeating: 0, count: n)
        for node in 0..<n {
            for edge in graph.starts[node]..<graph.starts[node + 1]
            where within[Int(graph.targets[edge])] == within[node] {
                outward[node] += Double(graph.weights[edge])
            }
        }
        func isWellConnected(_ part: Int, _ community: Int32) -> Bool {
            outward[part] >= factor * totals[part] * (whole[Int(community)] - totals[part]) - 1e-12
        }
        var sums = [Double](repeating: 0, count: n)
        var touched: [Int32] = []
        for node in generator.permutation(n).map({ Int($0) }) {
            let own = Int(communities[node])
            guard sizes[own] == 1, isWellConnected(own, within[node]) else { continue }
            for edge in graph.starts[node]..<graph.starts[node + 1] {
                let other = Int(graph.targets[edge])
                guard within[other] == within[node] else { continue }
                let part = communities[other]
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
                // The edges between the two are within now.
                outward[best.part] += outward[own] - 2 * sums[best.part]
                (totals[own], sizes[own], outward[own]) = (0, 0, 0)
                communities[node] = Int32(best.part)
            }
            for part in touched { sums[Int(part)] = 0 }
            touched.removeAll(keepingCapacity: true)
        }
    }
}
