import Foundation
import Testing

@testable import RoostVectors

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

    /// Visits all pairs by descending similarity, and merges two groups if all of their pairs reach the threshold.
    private func oracle(_ vectors: Matrix, _ threshold: Float) -> [[UInt32]] {
        let rows = (0..<vectors.rows).map { vectors.row($0) }
        func similarity(_ a: Int, _ b: Int) -> Float { innerProduct(rows[a], rows[b]) }
        var pairs: [(similarity: Float, first: Int, second: Int)] = []
        for first in rows.indices {
            for second in rows.indices.dropFirst(first + 1) where similarity(first, second) >= threshold {
                pairs.append((similarity(first, second), first, second))
            }
        }
        var groups = rows.indices.map { [$0] }
        var groupOf = Array(rows.indices)
        for pair in pairs.sorted(by: { $0.similarity > $1.similarity }) {
            let (a, b) = (groupOf[pair.first], groupOf[pair.second])
            guard a != b,
                groups[a].allSatisfy({ a in groups[b].allSatisfy { similarity(a, $0) >= threshold } })
            else { continue }
            for row in groups[b] { groupOf[row] = a }
            groups[a] += groups[b]
            groups[b] = []
        }
        return groups.filter { $0.count > 1 }.map { $0.map { UInt32($0) }.sorted() }
            .sorted { $0[0] < $1[0] }
    }

    private func lowestSimilarity(in groups: [[UInt32]], of vectors: Matrix) -> Float {
        var lowest: Float = 1
        for group in groups {
            for first in group {
                for second in group where second > first {
                    lowest = min(lowest, innerProduct(vectors.row(Int(first)), vectors.row(Int(second))))
                }
            }
        }
        return lowest
    }

    @Test(arguments: [0.2, 0.5, 0.8, 0.95, 0.99] as [Float]) func `groups match a comparison of all pairs`(
        threshold: Float
    ) async throws {
        let vectors = vectors(120, copies: 40, seed: 3)
        let expected = oracle(vectors, threshold)
        #expect(!expected.isEmpty)
        var groups = NearGroups()
        #expect(try await groups.find(vectors, threshold: threshold) == expected)
        groups.pairLimit = 100
        #expect(try await groups.find(vectors, threshold: threshold) == expected, "in many passes")
    }

    @Test(arguments: [0.5, 0.95] as [Float]) func `no pair of a group is below the threshold`(
        threshold: Float
    ) async throws {
        let vectors = vectors(200, copies: 100, seed: 5)
        var approximate = NearGroups()
        approximate.exactLimit = 0
        let found = try await approximate.find(vectors, threshold: threshold)
        #expect(!found.isEmpty)
        #expect(lowestSimilarity(in: found, of: vectors) >= threshold)
        #expect(try await approximate.find(vectors, threshold: threshold) == found, "deterministic")
        approximate.pairLimit = 500
        #expect(try await approximate.find(vectors, threshold: threshold) == found, "in many passes")
    }

    @Test(arguments: [0, 1000]) func `the groups do not depend on the order of the rows`(
        exactLimit: Int
    ) async throws {
        let vectors = vectors(300, copies: 100, seed: 6)
        var generator = SeededGenerator(seed: 8)
        let order = Array(0..<400).shuffled(using: &generator)
        var search = NearGroups()
        search.exactLimit = exactLimit
        let groups = try await search.find(vectors, threshold: 0.7)
        let shuffled = try await search.find(vectors.selecting(order), threshold: 0.7)
        #expect(!groups.isEmpty)
        #expect(Set(shuffled.map { Set($0.map { UInt32(order[Int($0)]) }) }) == Set(groups.map { Set($0) }))
    }

    @Test func `a chain of similar vectors is divided where its ends are below the threshold`()
        async throws
    {
        // Adjacent vectors have a similarity of cos 20° = 0.94; the first and the last of three consecutive
        // vectors have a similarity of cos 40° = 0.77.
        let elements = (0..<6).flatMap { index -> [Float] in
            let angle = Double(index) * (20 + Double(index) / 100) * .pi / 180
            return [Float(cos(angle)), Float(sin(angle))]
        }
        let chain = Matrix(rows: 6, columns: 2, elements: elements)
        #expect(try await NearGroups().find(chain, threshold: 0.9) == [[0, 1], [2, 3], [4, 5]])
    }

    @Test func `similarities beyond the scale are in its first or last interval`() {
        let scale = SimilarityScale(threshold: 0.5, intervals: 4)
        #expect([0.5, 0.7, 1].map { scale.interval(of: $0) } == [0, 1, 3])
        #expect([0, -Float.infinity, .infinity].map { scale.interval(of: $0) } == [0, 0, 3])
    }

    @Test func `rows of zeros are similar to nothing`() async throws {
        #expect(try await NearGroups().find(Matrix(rows: 5, columns: 8), threshold: 0.5).isEmpty)
    }

    @Test func `thousands of copies of two texts form two groups`() async throws {
        let two = unitVectors(2, 64, seed: 9)
        let copies = two.selecting((0..<10_000).map { $0 % 2 })
        let groups = try await NearGroups().find(copies, threshold: 0.95)
        #expect(groups == [0, 1].map { first in (0..<5_000).map { UInt32(2 * $0 + first) } })
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
