import RoostVectors
import Testing

/// Tests of indexes without a store. The import of `RoostVectors` provides matrices and sets of rows.
struct IndexTests {
    private var vectors: Matrix {
        var matrix = Matrix(rows: 300, columns: 3)
        for row in 0..<300 {
            for column in 0..<3 { matrix[row, column] = Float((row * (column + 3)) % 17) - 8 }
        }
        matrix.normalizeRows()
        return matrix
    }

    @Test(arguments: [Int.min, 0, 1, 40, Int.max]) func `any number of results is accepted`(
        k: Int
    ) async throws {
        let index = FlatIndex(vectors)
        let found = try await index.search(vectors.selecting([0, 5]), k: k)
        #expect(found.map(\.count) == [Int](repeating: min(300, max(0, k)), count: 2))
        let few = try await index.search(vectors.selecting([0]), k: k, among: [3, 9, 4000])
        #expect(few[0].count == min(2, max(0, k)))
    }

    @Test(arguments: [Int.min, 0, 1, Int.max]) func `options out of range are replaced`(
        number: Int
    ) async throws {
        var options = GraphIndex.Options()
        (options.maximumDegree, options.efConstruction, options.efSearch) = (number, min(number, 64), number)
        let index = try await GraphIndex(building: vectors, options: options)
        #expect((1...255).contains(index.options.maximumDegree))
        let found = try await index.search(vectors.selecting([7]), k: 5)
        #expect(found[0].count == 5)
    }
}
