import Testing

@testable import RoostVectors

@Suite struct PartitionTests {
    private let vectors = Matrix([[1, 0], [0, 1]], columns: 2)

    @Test func `a partition with a vector in a parent is reported`() {
        let partition = Partition(groups: [1, 0], of: vectors, parents: [1, nil])
        let error = #expect(throws: ClusteringError.self) { try partition.check(for: vectors) }
        #expect(error?.message.contains("group 1, which is the parent of another group") == true)
    }

    @Test func `a group without a centroid is reported without an impossible range`() {
        var partition = Partition(groups: [nil, nil], of: vectors)
        partition.labels[0] = .group(0)
        let error = #expect(throws: ClusteringError.self) { try partition.check(for: vectors) }
        #expect(error?.message.hasSuffix("with a group, but without centroids") == true)
    }

    @Test(arguments: [([0, 0, 1], [2, 2, nil]), ([1, 1, 2], [nil, 0, 0])])
    func `the centroid of a parent is that of all its descendants`(groups: [Int], parents: [Int?]) throws {
        let vectors = Matrix([[1, 0], [1, 0], [0, 1]], columns: 2)
        let partition = Partition(groups: groups, of: vectors, parents: parents)
        try partition.check(for: vectors)
        let parent = try #require(parents.firstIndex(of: nil))
        let centroid = partition.centroids.row(parent)
        #expect(abs(centroid[0] - 2 / Float(5).squareRoot()) < 1e-6)
        #expect(abs(centroid[1] - 1 / Float(5).squareRoot()) < 1e-6)
        #expect(partition.similarities.allSatisfy { abs($0 - 1) < 1e-6 })
    }

    @Test(arguments: [[1, 0], [7, nil], [-1, nil]] as [[Int?]])
    func `a cycle of parents and an unknown parent are reported`(parents: [Int?]) {
        let partition = Partition(groups: [0, 0], of: vectors, parents: parents)
        #expect(throws: ClusteringError.self) { try partition.check(for: vectors) }
    }
}
