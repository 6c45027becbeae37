import RoostVectors

/// The second phase of the Leiden algorithm: visits each node of a community once and joins it to the part
/// with the highest gain, provided that both the node and the part are well connected to the rest of the
/// community. This guarantees that communities are connected.
struct Refinement {
    private let graph: WeightedGraph
    private let masses: [Double]
    private let factor: Double
    /// The community of each node. A part must not extend beyond a single community.
    private let within: [Int32]
    /// The part of each node.
    private(set) var parts: [Int32]

    init(_ graph: WeightedGraph, _ masses: [Double], factor: Double, within: [Int32]) {
        (self.graph, self.masses, self.factor, self.within) = (graph, masses, factor, within)
        parts = (0..<Int32(graph.count)).map { $0 }
    }

    /// The tolerance for rounding errors when testing whether a part is well connected.
    private static let roundingTolerance = 1e-12

    /// Visits every node once, in random order.
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
