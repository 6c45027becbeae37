import RoostVectors
import Testing

@testable import RoostClustering

/// Tests of the number of clusters that is chosen for unusual data.
@Suite struct ResolutionChoiceTests {
    func sizes(_ partition: Partition) -> [Int] {
        var sizes = [Int](repeating: 0, count: partition.count)
        for case let group? in partition.labels.map(\.group) { sizes[group] += 1 }
        return sizes.sorted()
    }

    @Test(arguments: 1...4) func `fewer than five different vectors are one group`(count: Int) async throws {
        let partition = try await LeidenClusterer().cluster(unitVectors(count, 16, seed: 1))
        #expect(sizes(partition) == [count])
    }

    @Test func `two texts with many copies are two groups`() async throws {
        let two = unitVectors(2, 16, seed: 1)
        let partition = try await LeidenClusterer().cluster(two.selecting((0..<10_000).map { $0 % 2 }))
        #expect(sizes(partition) == [5000, 5000])
    }

    /// The groups of a narrow field differ little from each other and share a common direction.
    @Test func `groups of one narrow field do not collapse into one`() async throws {
        let common = unitVectors(1, 64, seed: 1)
        let centers = unitVectors(12, 64, seed: 2)
        var points = unitVectors(1200, 64, seed: 3)
        for row in 0..<points.rows {
            for column in 0..<64 {
                points[row, column] += 2 * common[0, column] + 0.9 * centers[row % 12, column]
            }
        }
        points.normalizeRows()
        let partition = try await LeidenClusterer().cluster(points)
        #expect(sizes(partition).allSatisfy { $0 < 600 })
        #expect((6...24).contains(partition.count))
    }

    @Test func `small stores are not split into tiny groups`() async throws {
        let centers = unitVectors(3, 64, seed: 2)
        var points = unitVectors(60, 64, seed: 3)
        for row in 0..<points.rows {
            for column in 0..<64 { points[row, column] += 0.7 * centers[row % 3, column] }
        }
        points.normalizeRows()
        let partition = try await LeidenClusterer().cluster(points)
        #expect((2...5).contains(partition.count))
        #expect(sizes(partition).allSatisfy { $0 >= 3 })
    }

    @Test func `the seed does not change the partition`() async throws {
        let points = unitVectors(600, 32, seed: 4)
        let first = try await LeidenClusterer(seed: 1).cluster(points)
        #expect(try await LeidenClusterer(seed: 2).cluster(points) == first)
    }
}
