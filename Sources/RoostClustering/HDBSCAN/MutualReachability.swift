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
    private let core: [Float]
    /// Rows that hang together by being among each other's neighbours have the same number.
    private let parts: [Int]

    /// - Parameters:
    ///   - weights: how many vectors each row stands for.
    ///   - minimumSamples: the core distance is that to so many nearest, the vector itself among them.
    init(_ nearest: NearestNeighbors, weights: [Int], minimumSamples: Int) {
        count = nearest.count
        let k = nearest.k
        let core = (0..<nearest.count).map { row -> Float in
            var (samples, farthest) = (weights[row], Float(0))
            for place in row * k..<(row + 1) * k where nearest.scores[place] > -.infinity {
                guard samples < minimumSamples else { break }
                samples += weights[Int(nearest.rows[place])]
                farthest = Self.distance(nearest.scores[place])
            }
            return farthest
        }
        self.core = core
        var mutual = UnionFind(nearest.count)
        for row in 0..<nearest.count {
            for place in row * k..<(row + 1) * k where nearest.scores[place] > -.infinity {
                let other = Int(nearest.rows[place])
                if other > row, nearest.rows[other * k..<(other + 1) * k].contains(UInt32(row)) {
                    _ = mutual.join(row, other)
                }
                // Where both name each other once is enough.
                edges.append(
                    Edge(
                        first: min(row, other), second: max(row, other),
                        distance: max(core[row], core[other], Self.distance(nearest.scores[place]))))
            }
        }
        parts = (0..<nearest.count).map { mutual.root($0) }
    }

    private static func distance(_ score: Float) -> Float { max(0, 2 - 2 * score).squareRoot() }

    /// So many rows stand for what the graph leaves apart, at most; so many parts are joined by distance.
    private static let (mostSamples, mostParts) = (6000, 2000)

    /// The edges of a least spanning tree, the shortest first (Kruskal 1956).
    ///
    /// Two dense regions may both be far from being among each other's neighbours, and be joined by way of
    /// what lies about them: so parts of which nobody is, on both sides, another's neighbour are also joined
    /// by the least distance of some rows of each, all of them where they are few. Beyond ``mostParts`` parts
    /// the smallest are not; what is left apart is joined at an infinite distance.
    ///
    /// - Parameter points: the rows.
    func spanningTree(_ points: Matrix) -> [Edge] {
        let all = (edges + bridges(points, parts: parts))
            .sorted { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
        var sets = UnionFind(count)
        var tree = all.filter { sets.join($0.first, $0.second) }
        for row in 1..<max(1, count) where sets.join(0, row) {
            tree.append(Edge(first: 0, second: row, distance: .infinity))
        }
        return tree
    }

    /// The products of some rows with all.
    private static func products(_ points: Matrix, _ block: Range<Int>) -> [Float] {
        let (n, d) = (points.rows, points.columns)
        return [Float](unsafeUninitializedCapacity: block.count * n) { products, count in
            points.elements.withUnsafeBufferPointer { points in
                guard let base = points.baseAddress, let target = products.baseAddress else { return }
                BLAS.gemm(
                    .init(base + block.lowerBound * d, stride: d), .init(base, stride: d, transposed: true),
                    into: target, stride: n, m: block.count, n: n, k: d)
                count = block.count * n
            }
        }
    }

    /// For each two parts the shortest edge between their samples.
    private func bridges(_ points: Matrix, parts: [Int]) -> [Edge] {
        let largest = Dictionary(grouping: parts.indices) { parts[$0] }.values
            .sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }.prefix(Self.mostParts)
        let each = max(1, Self.mostSamples / max(1, largest.count))
        var (samples, partOf) = ([Int](), [Int]())
        for (part, rows) in largest.enumerated() {
            let step = max(1, (rows.count + each - 1) / each)
            for place in stride(from: 0, to: rows.count, by: step) {
                samples.append(rows[place])
                partOf.append(part)
            }
        }
        let chosen = points.selecting(samples)
        let k = largest.count
        var best = [Edge?](repeating: nil, count: k * k)
        for start in stride(from: 0, to: samples.count, by: 256) {
            let block = start..<min(samples.count, start + 256)
            let products = Self.products(chosen, block)
            for row in block {
                for other in 0..<row where partOf[other] != partOf[row] {
                    let (a, b) = (samples[row], samples[other])
                    let near = Self.distance(products[(row - start) * samples.count + other])
                    let edge = Edge(
                        first: min(a, b), second: max(a, b), distance: max(core[a], core[b], near))
                    let place = min(partOf[row], partOf[other]) * k + max(partOf[row], partOf[other])
                    if best[place].map({ edge.distance < $0.distance }) ?? true { best[place] = edge }
                }
            }
        }
        return best.compactMap(\.self)
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
