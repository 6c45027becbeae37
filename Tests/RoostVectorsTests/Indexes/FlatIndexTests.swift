import RoostVectors
import Testing

struct FlatIndexTests {
    /// Returns the exact result by comparing the query with every vector.
    func oracle(_ vectors: Matrix, _ query: [Float], k: Int, among allowed: RowSet?) -> [UInt32] {
        let scored = (0..<vectors.rows).filter { allowed?.contains(UInt32($0)) ?? true }
            .map { (row: $0, score: innerProduct(vectors.row($0), query)) }
        return scored.sorted { ($1.score, $0.row) < ($0.score, $1.row) }.prefix(k).map { UInt32($0.row) }
    }

    @Test(arguments: [1, 7, 8, 31, 384], [1, 5, 5000])
    func `search matches a comparison with every vector`(dimension: Int, count: Int) async throws {
        let vectors = unitVectors(count, dimension, seed: 1)
        let queries = unitVectors(3, dimension, seed: 2)
        let index = FlatIndex(vectors)
        let few = RowSet((0..<UInt32(count)).filter { $0 % 97 == 0 })
        let many = RowSet((0..<UInt32(count)).filter { $0 % 3 != 0 })
        for allowed in [nil, few, many, RowSet()] {
            let together = try await index.search(queries, k: 10, among: allowed)
            for query in 0..<3 {
                let alone = try await index.search(queries.selecting([query]), k: 10, among: allowed)[0]
                let expected = oracle(vectors, queries.row(query), k: 10, among: allowed)
                #expect(together[query].count == expected.count)
                // In one dimension, many scores are equal up to the last bits, which differ between kernels.
                if dimension > 1 {
                    #expect(alone.map(\.row) == expected)
                    #expect(together[query].map(\.row) == expected)
                }
            }
        }
    }

    @Test func `equal scores are ordered by row, and NaN is never returned`() async throws {
        var elements = [Float](repeating: 0.5, count: 4 * 100)
        for column in 0..<4 { elements[7 * 4 + column] = .nan }
        let index = FlatIndex(Matrix(rows: 100, columns: 4, elements: elements))
        let found = try await index.search(Matrix([[0.5, 0.5, 0.5, 0.5]], columns: 4), k: 10, among: nil)[0]
        #expect(found.map(\.row) == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10])
        #expect(
            try await index.search(Matrix([[1, 0, 0, 0]], columns: 4), k: 1000, among: nil)[0].count == 99)
        #expect(try await index.search(Matrix([[1, 0, 0, 0]], columns: 4), k: 0, among: nil)[0].isEmpty)
    }

    @Test(arguments: [1, 3, 30, 384], [3, 33, 20_000])
    func `a search for many queries matches separate searches`(dimension: Int, count: Int) async throws {
        var vectors = unitVectors(count, dimension, seed: 3)
        // Includes vectors of very different lengths, zeros, duplicates, and numbers that are not finite.
        for row in 0..<count where row % 5 > 0 {
            for column in 0..<dimension {
                switch row % 5 {
                case 1: vectors[row, column] *= 1000
                case 2: vectors[row, column] = row % 10 == 2 ? 0 : vectors[0, column]
                case 3 where row > count / 2: vectors[row, column] *= 1e-20
                case 4 where row % 500 == 4: vectors[row, column] = column % 2 == 0 ? .nan : 1e30
                default: break
                }
            }
        }
        var queries = unitVectors(100, dimension, seed: 4)
        for column in 0..<dimension { queries[7, column] = 0 }
        let index = FlatIndex(vectors)
        let many = RowSet((0..<UInt32(count)).filter { $0 % 3 != 0 })
        for allowed in [nil, many] {
            let together = try await index.search(queries, k: 10, among: allowed)
            for query in 0..<100 {
                let alone = try await index.search(queries.selecting([query]), k: 10, among: allowed)[0]
                #expect(together[query].map(\.score) == alone.map(\.score), "query \(query)")
                if dimension > 1 { #expect(together[query] == alone, "query \(query)") }
            }
        }
        for column in 0..<dimension { queries[8, column] = .infinity }
        let found = try await index.search(queries, k: 1, among: nil)
        #expect(found[9] == (try await index.search(queries.selecting([9]), k: 1, among: nil)[0]))
    }

    @Test func `vectors without components have no neighbors`() async throws {
        let index = FlatIndex(Matrix([[], []], columns: 0))
        #expect(try await index.search(Matrix([[]], columns: 0), k: 2) == [[]])
    }
}
