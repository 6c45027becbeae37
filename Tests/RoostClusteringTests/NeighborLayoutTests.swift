import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct NeighborLayoutTests {
    /// Returns vectors around three directions.
    func vectorsAroundThreeDirections(_ count: Int) -> Matrix {
        var generator = SeededGenerator(seed: 2)
        var rows = Matrix(rows: count, columns: 16)
        for row in 0..<count {
            for column in 0..<16 { rows[row, column] = 0.15 * Float(generator.nextNormal()) }
            rows[row, row % 3] += 1
        }
        rows.normalizeRows()
        return rows
    }

    @Test func `neighbors stay near each other`() async throws {
        let layout = try await NeighborLayout(of: vectorsAroundThreeDirections(240), seed: 1)
        var matches = 0
        for row in 0..<240 {
            func distance(_ other: Int) -> Float {
                let (x, y) = (
                    layout.positions[row, 0] - layout.positions[other, 0],
                    layout.positions[row, 1] - layout.positions[other, 1]
                )
                return x * x + y * y
            }
            let nearest = (0..<240).filter { $0 != row }.sorted { distance($0) < distance($1) }.prefix(10)
            matches += nearest.count { $0 % 3 == row % 3 }
        }
        #expect(matches >= 2280, "\(matches) of 2400")
        #expect(layout.positions.elements.allSatisfy { $0.isFinite })
        #expect(
            try await NeighborLayout(of: vectorsAroundThreeDirections(240), seed: 1).positions
                == layout.positions)
    }

    @Test(arguments: [1, 2, 3, 5]) func `few vectors, equal vectors and zero vectors have finite positions`(
        count: Int
    ) async throws {
        let few = try await NeighborLayout(of: vectorsAroundThreeDirections(count))
        #expect(few.positions.rows == count && few.positions.elements.allSatisfy { $0.isFinite })
        let same = Matrix(Array(repeating: [Float(1), 0], count: count), columns: 2)
        let equal = try await NeighborLayout(of: same)
        #expect(equal.positions.elements.allSatisfy { $0.isFinite })
        let zeros = try await NeighborLayout(of: Matrix(rows: count, columns: 4))
        #expect(zeros.positions.elements.allSatisfy { $0.isFinite })
    }
}
