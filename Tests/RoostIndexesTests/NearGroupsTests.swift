import RoostVectors
import Testing

@testable import RoostIndexes

@Suite struct NearGroupsTests {
    /// Returns vectors, followed by near-duplicates of some of them.
    private func vectors(_ count: Int, copies: Int, seed: UInt64) -> Matrix {
        var generator = SeededGenerator(seed: seed)
        let base = GraphIndexTests.vectors(count, 48, seed: seed)
        var elements = base.elements
        for copy in 0..<copies {
            let row = base.row(copy * 7 % count)
            elements += row.map { $0 + 0.02 * Float(generator.nextNormal()) }
        }
        var all = Matrix(rows: count + copies, columns: 48, elements: elements)
        all.normalizeRows()
        return all
    }

    private func oracle(_ vectors: Matrix, _ threshold: Float) -> [[UInt32]] {
        var group = Array(0..<vectors.rows)
        for first in 0..<vectors.rows {
            for other in first + 1..<max(first + 1, vectors.rows)
            where innerProduct(vectors.row(first), vectors.row(other)) >= threshold {
                let (old, new) = (group[other], group[first])
                for row in group.indices where group[row] == old { group[row] = new }
            }
        }
        return Dictionary(grouping: 0..<UInt32(vectors.rows)) { group[Int($0)] }.values.map { $0.sorted() }
            .filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    @Test(arguments: [0.8, 0.95, 0.99] as [Float]) func `groups match a comparison of all pairs`(
        threshold: Float
    )
        async throws
    {
        let vectors = vectors(300, copies: 60, seed: 3)
        let expected = oracle(vectors, threshold)
        #expect(!expected.isEmpty)
        #expect(try await NearGroups().find(vectors, threshold: threshold) == expected)
        var trees = NearGroups()
        trees.exactLimit = 0
        let found = try await trees.find(vectors, threshold: threshold)
        let connected = Set(found.flatMap(\.self))
        #expect(connected.isSubset(of: Set(expected.flatMap(\.self))))
        #expect(Double(connected.count) >= 0.95 * Double(expected.reduce(0) { $0 + $1.count }))
        #expect(try await trees.find(vectors, threshold: threshold) == found, "deterministic")
    }

    @Test func `the approximate method for large sets finds almost all near-duplicates`() async throws {
        let vectors = vectors(20_000, copies: 500, seed: 4)
        var exact = NearGroups()
        exact.exactLimit = .max
        let expected = try await exact.find(vectors, threshold: 0.98)
        let found = try await NearGroups().find(vectors, threshold: 0.98)
        let (all, some) = (Set(expected.flatMap(\.self)), Set(found.flatMap(\.self)))
        #expect(some.isSubset(of: all) && Double(some.count) >= 0.97 * Double(all.count))
        #expect(all.count >= 900)
    }

    @Test func `equal vectors form one group, and one vector or none forms no group`() async throws {
        let one = GraphIndexTests.vectors(1, 8)
        let many = one.selecting(Array(repeating: 0, count: 30_000))
        let groups = try await NearGroups().find(many, threshold: 0.99)
        #expect(groups == [Array(0..<30_000)])
        #expect(try await NearGroups().find(one, threshold: 0.5).isEmpty)
        #expect(try await NearGroups().find(Matrix(rows: 0, columns: 0), threshold: 0.5).isEmpty)
    }
}
