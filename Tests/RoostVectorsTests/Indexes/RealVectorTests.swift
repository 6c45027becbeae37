import Foundation
import RoostVectors
import TestSupport
import Testing

/// Tests with the vectors of real texts. `Scripts/golden` creates them in `Fixtures/Golden`.
@Suite struct RealVectorTests {
    static func notes() throws -> Matrix {
        var vectors = Matrix(
            rows: 256, columns: Fixtures.noteDimension, elements: try Fixtures.noteVectors())
        vectors.normalizeRows()
        return vectors
    }

    @Test func `graph search of real vectors finds almost all nearest neighbors`() async throws {
        let vectors = try Self.notes()
        let truth = try await FlatIndex(vectors).search(vectors, k: 10)
        let graph = try await GraphIndex(building: vectors)
        let found = try await graph.search(vectors, k: 10)
        let hits = zip(found, truth).reduce(0) {
            $0 + Set($1.0.map(\.row)).intersection($1.1.map(\.row)).count
        }
        #expect(Double(hits) / Double(10 * vectors.rows) > 0.98, "\(hits) of \(10 * vectors.rows)")
    }
}
