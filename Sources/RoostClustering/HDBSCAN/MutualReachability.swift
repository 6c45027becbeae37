import RoostVectors

/// The graph of nearest neighbors weighted by mutual reachability distance: the maximum of the distance
/// between two vectors and their core distances (Campello et al. 2013, definition 2).
struct MutualReachability {
    /// An edge between two rows.
    struct Edge: Sendable, Hashable {
        var first: Int
        var second: Int
        var distance: Float
    }

    private(set) var edges: [Edge] = []
    private let count: Int
    private let core: [Float]
    /// The connected component of each row in the graph of mutual neighbors, identified by one of the
    /// component's rows.
    private let components: [Int]

    /// Builds the graph.
    ///
    /// - Parameters:
    ///   - nearest: The nearest neighbors of each row.
    ///   - weights: The number of vectors that each row represents.
    ///   - minimumSamples: The rank of the neighbor that defines the core distance, the vector itself
    ///     counting as the first.
    init(_ nearest: NearestNeighbors, weights: [Int], minimumSamples: Int) {
        count = nearest.count
        let k = nearest.k
        let core = (0..<nearest.count).map { row -> Float in
            var (samples, farthest) = (weights[row], Float(0))
            for index in row * k..<(row + 1) * k where nearest.scores[index] > -.infinity {
                guard samples < minimumSamples else { break }
                samples += weights[Int(nearest.rows[index])]
                farthest = Self.distance(nearest.scores[index])
            }
            return farthest
        }
        self.core = core
        var mutual = UnionFind(nearest.count)
        for row in 0..<nearest.count {
            for index in row * k..<(row + 1) * k where nearest.scores[index] > -.infinity {
                let other = Int(nearest.rows[index])
                if other > row, nearest.rows[other * k..<(other + 1) * k].contains(UInt32(row)) {
                    _ = mutual.join(row, other)
                }
                // The edge of two mutual neighbors occurs twice, which Kruskal's algorithm tolerates.
                edges.append(
                    Edge(
                        first: min(row, other), second: max(row, other),
                        distance: max(core[row], core[other], Self.distance(nearest.scores[index]))))
            }
        }
        components = (0..<nearest.count).map { mutual.root($0) }
    }

    private static func distance(_ score: Float) -> Float { max(0, 2 - 2 * score).squareRoot() }

    /// The maximum total number of rows that are sampled to join components. The distances between all pairs
    /// of these rows are computed.
    private static let maximumSamples = 6000
    /// The maximum number of components that are joined by distance. It limits the size of a table of all
    /// pairs of components.
    private static let maximumComponents = 2000
    /// The number of rows of one matrix product.
    private static let block = 256

    /// Returns the edges of a minimum spanning tree, shortest first (Kruskal 1956).
    ///
    /// Two dense regions need not contain neighbors of each other; the graph may connect them only through
    /// the sparse points around them. Therefore, each pair of components of the graph of mutual neighbors is
    /// also joined by the shortest edge between samples of their rows (between all rows, if there are few).
    /// Only the largest ``maximumComponents`` components take part. Rows that are still separate are joined
    /// at an infinite distance.
    ///
    /// - Parameter points: The rows.
    func spanningTree(_ points: Matrix) -> [Edge] {
        let all = (edges + bridges(points))
            .sorted { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
        var sets = UnionFind(count)
        var tree = all.filter { sets.join($0.first, $0.second) }
        for row in 1..<max(1, count) where sets.join(0, row) {
            tree.append(Edge(first: 0, second: row, distance: .infinity))
        }
        return tree
    }

    /// Returns the inner products of a block of rows with all rows.
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

    /// Returns, for each pair of components, the shortest edge between their sampled rows.
    private func bridges(_ points: Matrix) -> [Edge] {
        let largest = Dictionary(grouping: components.indices) { components[$0] }.values
            .sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }.prefix(Self.maximumComponents)
        let each = max(1, Self.maximumSamples / max(1, largest.count))
        var (samples, componentOf) = ([Int](), [Int]())
        for (component, rows) in largest.enumerated() {
            let step = max(1, (rows.count + each - 1) / each)
            for index in stride(from: 0, to: rows.count, by: step) {
                samples.append(rows[index])
                componentOf.append(component)
            }
        }
        let chosen = points.selecting(samples)
        let k = largest.count
        var best = [Edge?](repeating: nil, count: k * k)
        for start in stride(from: 0, to: samples.count, by: Self.block) {
            let block = start..<min(samples.count, start + Self.block)
            let products = Self.products(chosen, block)
            for row in block {
                for other in 0..<row where componentOf[other] != componentOf[row] {
                    let (a, b) = (samples[row], samples[other])
                    let near = Self.distance(products[(row - start) * samples.count + other])
                    let edge = Edge(
                        first: min(a, b), second: max(a, b), distance: max(core[a], core[b], near))
                    let (low, high) = (
                        min(componentOf[row], componentOf[other]), max(componentOf[row], componentOf[other])
                    )
                    let pair = low * k + high
                    if best[pair].map({ edge.distance < $0.distance }) ?? true { best[pair] = edge }
                }
            }
        }
        return best.compactMap(\.self)
    }
}
