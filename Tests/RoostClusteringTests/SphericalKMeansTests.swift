import RoostVectors
import Testing

@testable import RoostClustering

struct SphericalKMeansTests {
    /// Returns points around k random directions, and the direction of each point.
    func groups(_ k: Int, of size: Int, spread: Float = 0.5, seed: UInt64 = 1) -> (Matrix, [Int]) {
        let centers = unitVectors(k, 64, seed: seed)
        var noise = unitVectors(k * size, 64, seed: seed + 1)
        var truth: [Int] = []
        for row in 0..<k * size {
            truth.append(row % k)
            for column in 0..<64 {
                noise[row, column] = spread * noise[row, column] + centers[row % k, column]
            }
        }
        noise.normalizeRows()
        return (noise, truth)
    }

    func match(_ labels: [Partition.Label], _ truth: [Int]) -> Bool {
        var pairs = Set<[Int]>()
        for (label, direction) in zip(labels, truth) { pairs.insert([label.group ?? -1, direction]) }
        return pairs.count == Set(truth).count && Set(pairs.map { $0[0] }).count == pairs.count
    }

    @Test(arguments: [2, 3, 5, 9, 14]) func `the number of well-separated groups is found`(k: Int)
        async throws
    {
        let (points, truth) = groups(k, of: 60)
        let partition = try await SphericalKMeans(seed: 3).cluster(points)
        #expect(partition.count == k)
        #expect(match(partition.labels, truth))
        #expect(partition.confidences.allSatisfy { (0...1).contains($0) })
    }

    @Test func `the same seed gives an identical partition`() async throws {
        let points = unitVectors(3000, 48, seed: 9)
        let first = try await SphericalKMeans(clusters: 20, seed: 5).cluster(points)
        let second = try await SphericalKMeans(clusters: 20, seed: 5).cluster(points)
        #expect(first == second)
        let other = try await SphericalKMeans(clusters: 20, seed: 6).cluster(points)
        #expect(first.labels != other.labels)
    }

    @Test func `every point has the label of its nearest centroid`() async throws {
        let points = unitVectors(500, 16, seed: 4)
        let partition = try await SphericalKMeans(clusters: 12, seed: 1).cluster(points)
        for row in 0..<500 {
            let scores = (0..<12).map { innerProduct(points.row(row), partition.centroids.row($0)) }
            let own = try #require(partition.labels[row].group)
            #expect(scores[own] >= (scores.max() ?? 0) - 1e-5)
            #expect(abs(partition.similarities[row] - scores[own]) < 1e-5)
        }
        #expect(Set(partition.labels).count == 12)
    }

    @Test(arguments: 28...41) func `equal vectors are in the same group`(rows: Int) async throws {
        let three = unitVectors(3, 384, seed: UInt64(rows))
        let points = three.selecting((0..<rows).map { $0 % 3 })
        let partition = try await SphericalKMeans(clusters: 9).cluster(points)
        #expect(partition.count == 3)
        for row in 3..<rows { #expect(partition.labels[row] == partition.labels[row - 3]) }
        let same = three.selecting(Array(repeating: 0, count: rows))
        #expect(try await SphericalKMeans(clusters: 3).cluster(same).count == 1)
    }

    @Test func `equal, zero and too few vectors are accepted or rejected with an error`() async throws {
        let same = Matrix(rows: 20, columns: 4, elements: Array(repeating: 0.5, count: 80))
        let equal = try await SphericalKMeans(clusters: 3).cluster(same)
        #expect(equal.labels.count == 20)
        // No group is empty.
        #expect(Set(equal.labels) == Set((0..<equal.count).map { .group($0) }))
        #expect(try await SphericalKMeans().cluster(same).count >= 1)
        let one = Matrix([[1, 0]], columns: 2)
        #expect(try await SphericalKMeans().cluster(one).labels == [.group(0)])
        let two = Matrix([[1, 0], [0, 1]], columns: 2)
        #expect(try await SphericalKMeans(clusters: 2).cluster(two).count == 2)
        let withZero = Matrix([[1, 0], [0, 0], [0, 1]], columns: 2)
        #expect(try await SphericalKMeans(clusters: 2).cluster(withZero).labels[1] == .outlier(.zeroVector))
        await #expect(throws: ClusteringError.self) { try await SphericalKMeans(clusters: 3).cluster(two) }
        let error = await #expect(throws: ClusteringError.self) {
            try await SphericalKMeans(clusters: 3).cluster(withZero)
        }
        #expect(error?.message.contains("entries with a nonzero vector is 2") == true)
        await #expect(throws: ClusteringError.self) { try await SphericalKMeans(clusters: 0).cluster(two) }
        await #expect(throws: ClusteringError.self) {
            try await SphericalKMeans().cluster(Matrix(rows: 0, columns: 4))
        }
    }
}

/// Tests of k-means for many points, with seeding by k-means|| and with mini-batches.
struct MiniBatchTests {
    let base = SphericalKMeansTests()

    @Test(arguments: [2, 7, 40]) func `k-means|| draws a seed from nearly every group`(k: Int) throws {
        let (points, truth) = base.groups(k, of: 50, spread: 0.2)
        var covered = 0.0
        for seed in UInt64(0)..<10 {
            var generator = SeededGenerator(seed: seed)
            let seeds = try KMeansParallelSeeding.choose(k, of: points, using: &generator)
            #expect(seeds.count == k && Set(seeds).count == k)
            covered += Double(Set(seeds.map { truth[$0] }).count) / Double(k)
        }
        #expect(covered / 10 > 0.9)
        var generator = SeededGenerator(seed: 1)
        #expect(
            try KMeansParallelSeeding.choose(points.rows, of: points, using: &generator).count == points.rows)
        // There are more seeds than distinct points.
        let two = Matrix((0..<30).map { $0 == 7 ? [1, 0] : [0, 1] }, columns: 2)
        let seeds = try KMeansParallelSeeding.choose(5, of: two, using: &generator)
        #expect(Set(seeds).count == 5 && seeds.contains(7))
    }

    @Test func `mini-batches find well-separated groups, and repeat the result`() async throws {
        let (points, truth) = base.groups(9, of: 200)
        var clusterer = SphericalKMeans(clusters: 9, seed: 3, maximumIterations: 5)
        clusterer.batchSize = 128
        let partition = try await clusterer.cluster(points)
        #expect(base.match(partition.labels, truth))
        #expect(try await clusterer.cluster(points) == partition)
        #expect(partition.facts["batchSize"] == 128)
        // Batches may be larger than the data, and all points may be equal.
        clusterer.batchSize = 100_000
        #expect(try await clusterer.cluster(points).count == 9)
        let same = Matrix(rows: 20, columns: 4, elements: Array(repeating: 0.5, count: 80))
        #expect(try await clusterer.cluster(same).count == 1)
    }

    @Test func `mini-batches come near the objective of complete runs`() throws {
        let points = unitVectors(4000, 32, seed: 2)
        let thorough = try KMeansRun.best(of: 1, points, k: 50, seed: 1, maximumIterations: 100)
        let batched = try KMeansRun.batched(points, k: 50, seed: 1, batchSize: 500, maximumIterations: 3)
        #expect(batched.objective > 0.97 * thorough.objective)
        var generator = SeededGenerator(seed: 1)
        let start = points.selecting(Array(0..<50))
        let moved = try KMeansMiniBatch.refine(start, of: points, size: 500, batches: 8, using: &generator)
        var (before, after) = (KMeansRun(points, start: start), KMeansRun(points, start: moved))
        try before.iterate(points, atMost: 1)
        try after.iterate(points, atMost: 1)
        #expect(after.objective > before.objective)
        for row in 0..<50 { #expect(abs(length(of: moved.row(row)) - 1) < 1e-5) }
    }

    @Test func `few entries get several complete runs, and many get mini-batches`() {
        func plan(_ clusters: Int, _ entries: Int) -> [Int?] {
            let sized = SphericalKMeans.sized(clusters: clusters, entries: entries)
            return [sized.restarts, sized.maximumIterations, sized.batchSize]
        }
        #expect(plan(77, 20_000) == [8, 100, nil])
        #expect(plan(1000, 300_000) == [1, 10, nil])
        #expect(plan(5000, 300_000) == [1, 10, 20_000])
        #expect(plan(5, 3) == [8, 100, nil] && plan(0, 3) == [8, 100, nil])
    }
}
