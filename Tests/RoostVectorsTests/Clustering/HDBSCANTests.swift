import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct HDBSCANTests {
    /// Bunches of different density, and points between them.
    func bunches(seed: UInt64 = 1) -> Matrix {
        var generator = SeededGenerator(seed: seed)
        var rows: [[Float]] = []
        for (bunch, spread) in [0.03, 0.06, 0.09].enumerated() {
            for _ in 0..<40 {
                var row = (0..<8).map { _ in Float(spread * generator.nextNormal()) }
                row[bunch] += 0.7
                row[7] += 1
                rows.append(row)
            }
        }
        for _ in 0..<8 {
            var row = (0..<8).map { _ in Float(generator.nextNormal()) }
            row[7] = -abs(row[7])
            rows.append(row)
        }
        var matrix = Matrix(rows, columns: 8)
        matrix.normalizeRows()
        return matrix
    }

    @Test func `dense regions are groups, what lies apart is left out`() async throws {
        let found = try await HDBSCAN(selection: .excessOfMass).cluster(bunches())
        #expect(found.count == 3)
        for bunch in 0..<3 {
            let labels = (bunch * 40..<bunch * 40 + 40).compactMap { found.labels[$0].group }
            #expect(Set(labels).count == 1 && labels.count >= 36)
        }
        #expect(found.labels[120...].count { $0 == .outlier(.sparse) } >= 7)
        #expect(found.confidences.allSatisfy { (0...1).contains($0) })
        let again = try await HDBSCAN(selection: .excessOfMass).cluster(bunches())
        #expect(again == found)
        let leaves = try await HDBSCAN(selection: .leaf).cluster(bunches())
        #expect(leaves.count >= 3)
    }

    /// Prim's algorithm over all pairs.
    func spanningWeight(_ vectors: Matrix, samples: Int) -> Float {
        let n = vectors.rows
        func distance(_ a: Int, _ b: Int) -> Float {
            max(0, 2 - 2 * innerProduct(vectors.row(a), vectors.row(b))).squareRoot()
        }
        let core = (0..<n).map { row in
            samples > 1 ? (0..<n).filter { $0 != row }.map { distance(row, $0) }.sorted()[samples - 2] : 0
        }
        var (inside, sum) = (Set([0]), Float(0))
        while inside.count < n {
            var best = (Float.infinity, -1)
            for a in inside {
                for b in 0..<n where !inside.contains(b) {
                    best = min(best, (max(core[a], core[b], distance(a, b)), b), by: <)
                }
            }
            sum += best.0
            inside.insert(best.1)
        }
        return sum
    }

    private func min(_ a: (Float, Int), _ b: (Float, Int), by precedes: (Float, Float) -> Bool) -> (
        Float, Int
    ) {
        precedes(b.0, a.0) ? b : a
    }

    @Test(arguments: [1, 3, 5]) func `the spanning tree is the least one`(samples: Int) throws {
        let vectors = unitVectors(40, 6, seed: 7)
        let nearest = try NearestNeighbors.find(in: vectors, k: 39, seed: 0)
        let ones = Array(repeating: 1, count: 40)
        let tree = MutualReachability(nearest, weights: ones, minimumSamples: samples).spanningTree(vectors)
        #expect(tree.count == 39)
        let sum = tree.reduce(Float(0)) { $0 + $1.distance }
        #expect(abs(sum - spanningWeight(vectors, samples: samples)) < 1e-3 * sum)
        // Of fewer neighbours it is a tree as well, and no lighter.
        let few = try NearestNeighbors.find(in: vectors, k: 5, seed: 0)
        let other = MutualReachability(few, weights: ones, minimumSamples: samples).spanningTree(vectors)
        #expect(other.count == 39 && other.reduce(Float(0)) { $0 + $1.distance } >= sum * 0.999)
    }

    /// From above, by taking away the longest edge again and again.
    func groups(
        _ edges: [MutualReachability.Edge], _ points: Set<Int>, birth: Double, minimum: Int
    ) -> (stability: Double, best: Double, chosen: [Set<Int>]) {
        var (left, stability) = (points, 0.0)
        var edges = edges
        while let longest = edges.popLast() {
            var sets = UnionFind(1000)
            for edge in edges { _ = sets.join(edge.first, edge.second) }
            let side = sets.root(longest.first)
            let first = left.filter { sets.root($0) == side }
            let second = left.subtracting(first)
            let density = 1 / Double(longest.distance)
            let large = [first, second].filter { $0.count >= minimum }
            if large.count == 2 {
                stability += Double(left.count) * (density - birth)
                let parts = [first, second].map { part in
                    groups(edges.filter { part.contains($0.first) }, part, birth: density, minimum: minimum)
                }
                let below = parts.reduce(0) { $0 + $1.best }
                return below > stability
                    ? (stability, below, parts.flatMap(\.chosen)) : (stability, stability, [points])
            }
            let gone = large.first.map { left.subtracting($0) } ?? left
            stability += Double(gone.count) * (density - birth)
            left = large.first ?? []
            edges = edges.filter { left.contains($0.first) && left.contains($0.second) }
            if left.isEmpty { break }
        }
        return (stability, stability, [points])
    }

    @Test(arguments: 0..<5) func `the groups are those of the greatest stability`(seed: Int) throws {
        let vectors = bunches(seed: UInt64(seed) + 20)
        let n = vectors.rows
        let nearest = try NearestNeighbors.find(in: vectors, k: n - 1, seed: 0)
        let ones = Array(repeating: 1, count: n)
        let edges = MutualReachability(nearest, weights: ones, minimumSamples: 4).spanningTree(vectors)
        let tree = CondensedTree(edges, weights: ones, minimumSize: 8)
        let labels = tree.labels(tree.mostStable()).groups
        let found = Set(
            Dictionary(grouping: labels.indices.filter { labels[$0] != nil }) { labels[$0] ?? -1 }
                .values.map { Set($0) })
        let expected = groups(edges, Set(0..<n), birth: 0, minimum: 8)
        #expect(expected.chosen.count > 1)
        #expect(found == Set(expected.chosen))
    }

    @Test func `few vectors, equal ones and none`() async throws {
        let one = Matrix([[1, 0]], columns: 2)
        #expect(try await HDBSCAN().cluster(one).labels == [.outlier(.sparse)])
        let same = Matrix(Array(repeating: [Float(1), 0], count: 50), columns: 2)
        #expect(try await HDBSCAN().cluster(same).labels.count == 50)
        // Two texts that come again and again are two groups.
        let two = Matrix((0..<60).map { $0 % 2 == 0 ? [Float(1), 0] : [0, 1] }, columns: 2)
        let found = try await HDBSCAN().cluster(two)
        #expect(found.count == 2 && Set(found.labels.compactMap(\.group)) == [0, 1])
        await #expect(throws: ClusteringError.self) {
            try await HDBSCAN().cluster(Matrix(rows: 3, columns: 2))
        }
        await #expect(throws: ClusteringError.self) {
            try await HDBSCAN().cluster(Matrix(rows: 0, columns: 2))
        }
    }
}
