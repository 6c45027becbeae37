import RoostVectors
import Testing

@testable import RoostClustering

struct SphericalKMeansTests {
    /// Returns points around k random directions, and the direction of each point.
    @Test(arguments: [2, 3, 5, 9, 14]) func `well-separated groups are found`(k: Int)
        async throws
    {
        let (points, truth) = groups(k, of: 60)
        let partition = try await SphericalKMeans(clusters: k, seed: 3).cluster(points)
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
        let one = Matrix([[1, 0]], columns: 2)
        #expect(try await SphericalKMeans(clusters: 1).cluster(one).labels == [.group(0)])
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
            try await SphericalKMeans(clusters: 1).cluster(Matrix(rows: 0, columns: 4))
        }
    }

    @Test func `few entries get several complete runs`() {
        func plan(_ clusters: Int, _ entries: Int) -> [Int] {
            let sized = SphericalKMeans.sized(clusters: clusters, entries: entries)
            return [sized.restarts, sized.maximumIterations]
        }
        #expect(plan(77, 20_000) == [8, 100])
        #expect(plan(1000, 300_000) == [1, 10])
        #expect(plan(5, 3) == [8, 100] && plan(0, 3) == [8, 100])
    }
}
