import RoostVectors

/// The graph of nearest neighbours with the distance at which two vectors are together in a dense region: the
/// greatest of their distance and of either's distance to its own surroundings (Campello et al. 2013,
/// definition 2).
struct MutualReachability {
    struct Edge: Sendable, Hashable {
        var first: Int
        var second: Int
        var distance: Float
    }

    private(set) var edges: [Edge] = []
    private let count: Int

    /// - Parameters:
    ///   - weights: how many vectors each row stands for.
    ///   - minimumSamples: the core distance is that to so many nearest, the vector itself among them.
    init(_ nearest: NearestNeighbors, weights: [Int], minimumSamples: Int) {
        count = nearest.count
        let k = nearest.k
        func distance(_ score: Float) -> Float { max(0, 2 - 2 * score).squareRoot() }
        let core = (0..<nearest.count).map { row -> Float in
            var (samples, farthest) = (weights[row], Float(0))
            for place in row * k..<(row + 1) * k where nearest.scores[place] > -.infinity {
                guard samples < minimumSamples else { break }
                samples += weights[Int(nearest.rows[place])]
                farthest = distance(nearest.scores[place])
            }
            return farthest
        }
        for row in 0..<nearest.count {
            for place in row * k..<(row + 1) * k where nearest.scores[place] > -.infinity {
                let other = Int(nearest.rows[place])
                // Where both name each other once is enough.
                edges.append(
                    Edge(
                        first: min(row, other), second: max(row, other),
                        distance: max(core[row], core[other], distance(nearest.scores[place]))))
            }
        }
        edges.sort { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
    }

    /// The edges of a least spanning tree, the shortest first (Kruskal 1956). What the graph leaves apart is
    /// joined at an infinite distance.
    func spanningTree() -> [Edge] {
        var sets = UnionFind(count)
        var tree = edges.filter { sets.join($0.first, $0.second) }
        for row in 1..<max(1, count) where sets.join(0, row) {
            tree.append(Edge(first: 0, second: row, distance: .infinity))
        }
        return tree
    }
}

/// Disjoint sets of numbers.
struct UnionFind {
    private var parents: [Int]

    init(_ count: Int) { parents = Array(0..<count) }

    mutating func root(_ member: Int) -> Int {
        var member = member
        while parents[member] != member {
            parents[member] = parents[parents[member]]
            member = parents[member]
        }
        return member
    }

    /// - Returns: whether they were apart.
    mutating func join(_ a: Int, _ b: Int) -> Bool {
        let (a, b) = (root(a), root(b))
        guard a != b else { return false }
        parents[max(a, b)] = min(a, b)
        return true
    }
}
