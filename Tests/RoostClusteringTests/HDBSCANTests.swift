import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct HDBSCANTests {
    /// Returns three dense regions of different density, and scattered points.
    func regions(seed: UInt64 = 1) -> Matrix {
        var generator = SeededGenerator(seed: seed)
        var rows: [[Float]] = []
        for (region, spread) in [0.03, 0.06, 0.09].enumerated() {
            for _ in 0..<40 {
                var row = (0..<8).map { _ in Float(spread * generator.nextNormal()) }
                row[region] += 0.7
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

    @Test func `dense regions are groups, and scattered points are outliers`() async throws {
        let found = try await HDBSCAN(selection: .excessOfMass).cluster(regions())
        #expect(found.count == 3)
        for region in 0..<3 {
            let labels = (region * 40..<region * 40 + 40).compactMap { found.labels[$0].group }
            #expect(Set(labels).count == 1 && labels.count >= 36)
        }
        #expect(found.labels[120...].count { $0 == .outlier(.sparse) } >= 7)
        #expect(found.confidences.allSatisfy { (0...1).contains($0) })
        let again = try await HDBSCAN(selection: .excessOfMass).cluster(regions())
        #expect(again == found)
        let leaves = try await HDBSCAN(selection: .leaf).cluster(regions())
        #expect(leaves.count >= 3)
    }

    /// Returns the weight of the minimum spanning tree by Prim's algorithm over all pairs.
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

    @Test(arguments: [1, 3, 5]) func `the spanning tree has the minimum weight`(samples: Int) throws {
        let vectors = unitVectors(40, 6, seed: 7)
        let nearest = try NearestNeighbors.find(in: vectors, k: 39, seed: 0)
        let ones = Array(repeating: 1, count: 40)
        let tree = MutualReachability(nearest, weights: ones, minimumSamples: samples).spanningTree(vectors)
        #expect(tree.count == 39)
        let sum = tree.reduce(Float(0)) { $0 + $1.distance }
        #expect(abs(sum - spanningWeight(vectors, samples: samples)) < 1e-3 * sum)
        // With fewer neighbors, the result is still a spanning tree, whose weight is not below the minimum.
        let few = try NearestNeighbors.find(in: vectors, k: 5, seed: 0)
        let other = MutualReachability(few, weights: ones, minimumSamples: samples).spanningTree(vectors)
        #expect(other.count == 39 && other.reduce(Float(0)) { $0 + $1.distance } >= sum * 0.999)
    }

    /// Finds the most stable groups top down, by repeatedly removing the longest edge.
    func groups(
        _ edges: [MutualReachability.Edge], _ points: Set<Int>, birth: Double, minimum: Int
    ) -> (stability: Double, best: Double, chosen: [Set<Int>]) {
        var (remaining, stability) = (points, 0.0)
        var edges = edges
        while let longest = edges.popLast() {
            var sets = UnionFind(1000)
            for edge in edges { _ = sets.join(edge.first, edge.second) }
            let side = sets.root(longest.first)
            let first = remaining.filter { sets.root($0) == side }
            let second = remaining.subtracting(first)
            let density = 1 / Double(longest.distance)
            let large = [first, second].filter { $0.count >= minimum }
            if large.count == 2 {
                stability += Double(remaining.count) * (density - birth)
                let parts = [first, second].map { part in
                    groups(edges.filter { part.contains($0.first) }, part, birth: density, minimum: minimum)
                }
                let below = parts.reduce(0) { $0 + $1.best }
                return below > stability
                    ? (stability, below, parts.flatMap(\.chosen)) : (stability, stability, [points])
            }
            let removed = large.first.map { remaining.subtracting($0) } ?? remaining
            stability += Double(removed.count) * (density - birth)
            remaining = large.first ?? []
            edges = edges.filter { remaining.contains($0.first) && remaining.contains($0.second) }
            if remaining.isEmpty { break }
        }
        return (stability, stability, [points])
    }

    @Test(arguments: 0..<5) func `the chosen groups have the highest total stability`(seed: Int) throws {
        let vectors = regions(seed: UInt64(seed) + 20)
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

    @Test func `a single vector, equal vectors and zero vectors`() async throws {
        let one = Matrix([[1, 0]], columns: 2)
        #expect(try await HDBSCAN().cluster(one).labels == [.outlier(.sparse)])
        let same = Matrix(Array(repeating: [Float(1), 0], count: 50), columns: 2)
        #expect(try await HDBSCAN().cluster(same).labels == Array(repeating: .group(0), count: 50))
        #expect(try await HDBSCAN(minimumSize: 51).cluster(same).count == 0)
        // The copies of one text form a group without the few other texts.
        var others = Matrix((0..<50).map { $0 < 47 ? [Float(1), 0] : [-1, Float($0) - 48] }, columns: 2)
        others.normalizeRows()
        let copies = try await HDBSCAN(minimumSize: 40).cluster(others)
        #expect(copies.count == 1 && copies.labels[..<47].allSatisfy { $0 == .group(0) })
        #expect(copies.labels[47...].allSatisfy { $0 == .outlier(.sparse) })
        // Many copies of each of two texts form two groups.
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
