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
}
