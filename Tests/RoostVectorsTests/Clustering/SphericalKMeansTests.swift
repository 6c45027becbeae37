import RoostVectors
import Testing

@testable import RoostClustering

struct SphericalKMeansTests {
    /// Points around k random directions, and which direction each has.
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

    func agree(_ labels: [Partition.Label], _ truth: [Int]) -> Bool {
        var pairs = Set<[Int]>()
        for (label, wanted) in zip(labels, truth) { pairs.insert([label.group ?? -1, wanted]) }
        return pairs.count == Set(truth).count && Set(pairs.map { $0[0] }).count == pairs.count
    }

    @Test(arguments: [2, 3, 5, 9, 14]) func `k is found where groups are plain`(k: Int) async throws {
        let (points, truth) = groups(k, of: 60)
        let partition = try await SphericalKMeans(seed: 3).cluster(points)
        #expect(partition.count == k)
        #expect(agree(partition.labels, truth))
        #expect(partition.confidences.allSatisfy { (0...1).contains($0) })
    }

    @Test func `the same seed gives the same labels, bit for bit`() async throws {
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

    @Test func `odd input`() async throws {
        let same = Matrix(rows: 20, columns: 4, elements: Array(repeating: 0.5, count: 80))
        let alike = try await SphericalKMeans(clusters: 3).cluster(same)
        #expect(alike.labels.count == 20)
        // Twenty equal points are one group, and no group is empty.
        #expect(Set(alike.labels) == Set((0..<alike.count).map { .group($0) }))
        #expect(try await SphericalKMeans().cluster(same).count >= 1)
        let one = Matrix([[1, 0]], columns: 2)
        #expect(try await SphericalKMeans().cluster(one).labels == [.group(0)])
        let two = Matrix([[1, 0], [0, 1]], columns: 2)
        #expect(try await SphericalKMeans(clusters: 2).cluster(two).count == 2)
        let withZero = Matrix([[1, 0], [0, 0], [0, 1]], columns: 2)
        #expect(try await SphericalKMeans(clusters: 2).cluster(withZero).labels[1] == .outlier(.zeroVector))
        await #expect(throws: ClusteringError.self) { try await SphericalKMeans(clusters: 3).cluster(two) }
        await #expect(throws: ClusteringError.self) { try await SphericalKMeans(clusters: 0).cluster(two) }
        await #expect(throws: ClusteringError.self) {
            try await SphericalKMeans().cluster(Matrix(rows: 0, columns: 4))
        }
    }
}
