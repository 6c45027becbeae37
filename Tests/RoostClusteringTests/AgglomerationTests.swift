import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct AgglomerationTests {
    /// The groups after a merge, and the height of the merge.
    struct Step {
        var groups: [Set<Int>]
        var height: Double
    }

    /// Repeatedly merges the two nearest groups and computes every distance from the points.
    func oracle(
        _ points: Matrix, _ weights: [Int], _ linkage: Agglomeration.Linkage
    ) -> [Step] {
        var groups = (0..<points.rows).map { Set([$0]) }
        var steps: [Step] = []
        func cosine(_ a: Int, _ b: Int) -> Double { Double(innerProduct(points.row(a), points.row(b))) }
        func squaredSpread(_ group: Set<Int>) -> Double {
            // The weighted sum of squared distances from the mean can be computed from the distances of all
            // pairs.
            let weight = group.reduce(0.0) { $0 + Double(weights[$1]) }
            var sum = 0.0
            for a in group {
                for b in group where a < b {
                    sum += Double(weights[a] * weights[b]) * 2 * (1 - cosine(a, b))
                }
            }
            return sum / weight
        }
        func distance(_ a: Set<Int>, _ b: Set<Int>) -> Double {
            switch linkage {
            case .average:
                var (sum, weight) = (0.0, 0.0)
                for x in a {
                    for y in b {
                        sum += Double(weights[x] * weights[y]) * (1 - cosine(x, y))
                        weight += Double(weights[x] * weights[y])
                    }
                }
                return sum / weight
            case .ward: return squaredSpread(a.union(b)) - squaredSpread(a) - squaredSpread(b)
            }
        }
        while groups.count > 1 {
            var best = (0, 1, Double.infinity)
            for a in groups.indices {
                for b in groups.indices where a < b {
                    let found = distance(groups[a], groups[b])
                    if found < best.2 { best = (a, b, found) }
                }
            }
            groups[best.0].formUnion(groups[best.1])
            groups.remove(at: best.1)
            steps.append(Step(groups: groups, height: best.2))
        }
        return steps
    }

    @Test(arguments: Agglomeration.Linkage.allCases, 0..<4)
    func `the tree equals that of merging the nearest two groups each time`(
        linkage: Agglomeration.Linkage, seed: Int
    ) {
        let points = unitVectors(17, 5, seed: UInt64(seed))
        let weights = (0..<17).map { 1 + ($0 * 7 + seed) % 5 }
        let tree = Agglomeration(points, weights: weights, linkage: linkage)
        #expect(tree.merges.count == 16)
        for (step, expected) in oracle(points, weights, linkage).enumerated() {
            #expect(abs(tree.merges[step].height - expected.height) < 1e-4 * max(1, expected.height))
            let cut = tree.cut(into: expected.groups.count)
            let groups = Set(Dictionary(grouping: cut.indices) { cut[$0] }.values.map { Set($0) })
            #expect(groups == Set(expected.groups))
        }
    }

    @Test func `a single point and equal points have trees`() {
        #expect(Agglomeration(Matrix([[1, 0]], columns: 2), weights: [3]).cut(into: 1) == [0])
        let same = Matrix(Array(repeating: [Float(1), 0], count: 6), columns: 2)
        let tree = Agglomeration(same, weights: Array(repeating: 1, count: 6))
        #expect(Set(tree.cut(into: 2)) == [0, 1])
        #expect(tree.cut(into: 6) == Array(0..<6))
    }

    @Test func `a hierarchy gives similar groups a common parent and keeps all labels`() {
        // Nine groups, three around each of three directions.
        var generator = SeededGenerator(seed: 3)
        var rows: [[Float]] = []
        for direction in 0..<3 {
            for group in 0..<3 {
                var row = [Float](repeating: 0, count: 12)
                row[direction * 4] = 1
                row[direction * 4 + 1 + group] = 0.6
                rows.append(row.map { $0 + 0.01 * Float(generator.nextNormal()) })
            }
        }
        var centroids = Matrix(rows, columns: 12)
        centroids.normalizeRows()
        let flat = Partition(
            labels: (0..<90).map { .group($0 % 9) }, centroids: centroids,
            similarities: Array(repeating: 1, count: 90), confidences: Array(repeating: 1, count: 90))
        let tree = flat.adding(levels: 2)
        #expect(tree.labels == flat.labels)
        #expect(tree.count == 12)
        let parents = (0..<9).map { tree.parents[$0] }
        #expect(Set(parents).count == 3 && !parents.contains(nil))
        for group in 0..<9 { #expect(parents[group] == parents[group / 3 * 3]) }
        #expect(tree.parents[9...].allSatisfy { $0 == nil })
        #expect(flat.adding(levels: 1) == flat)
        // Even with many levels, the parents do not form a cycle.
        let deep = flat.adding(levels: 5)
        for group in 0..<deep.count {
            let path = Array(sequence(first: group, next: { deep.parents[$0] }).prefix(20))
            #expect(path.count < 20)
        }
    }

    /// Returns a partition of groups around some directions, with three rows for each group.
    private func partition(directions: Int, groupsPerDirection: Int, noise: Float) -> Partition {
        var generator = SeededGenerator(seed: 5)
        var rows: [[Float]] = []
        for direction in 0..<directions {
            for _ in 0..<groupsPerDirection {
                var row = (0..<64).map { _ in noise * Float(generator.nextNormal()) }
                row[direction] += 1
                rows.append(row)
            }
        }
        var centroids = Matrix(rows, columns: 64)
        centroids.normalizeRows()
        let count = 3 * rows.count
        return Partition(
            labels: (0..<count).map { .group($0 % rows.count) }, centroids: centroids,
            similarities: Array(repeating: 1, count: count), confidences: Array(repeating: 1, count: count))
    }

    @Test(arguments: [8, 12, 20])
    func `many groups get as many parents as there are directions`(directions: Int) {
        let flat = partition(directions: directions, groupsPerDirection: 5, noise: 0.03)
        let tree = flat.addingParents()
        #expect(tree.labels == flat.labels && tree.count == 6 * directions)
        for group in 0..<flat.count { #expect(tree.parents[group] == tree.parents[group / 5 * 5]) }
        let tops = Set((0..<flat.count).map { tree.parents[$0] })
        #expect(tops.count == directions && !tops.contains(nil))
    }

    @Test func `few groups, and groups without larger ones, get no parents`() {
        let few = partition(directions: 5, groupsPerDirection: 5, noise: 0.03)
        #expect(few.count == Partition.maximumFlatSize && few.addingParents() == few)
        // All centroids are equal, so no cut is better than another.
        let same = partition(directions: 1, groupsPerDirection: 40, noise: 0)
        #expect(same.addingParents() == same)
    }

    @Test func `the number of nodes at the top level is in the range`() {
        for groups in [26, 30, 100, 300] {
            let tree = partition(directions: 1, groupsPerDirection: groups, noise: 0.2).addingParents()
            let tops = tree.parents.count { $0 == nil }
            #expect(tops == groups || Partition.topLevelSizes.contains(tops))
        }
    }
}
