import Foundation
import RoostVectors
import TestSupport
import Testing

@testable import RoostClustering

/// Tests with the vectors of real texts. `Scripts/golden` creates them in `Fixtures/Golden`.
@Suite struct RealVectorTests {
    /// Returns 80 vectors near each of the 256 vectors of notes, which are therefore distributed like the
    /// vectors of texts.
    ///
    /// Each is moved in a random direction by the distance of the tenth neighbor of its original, so that
    /// copies of the same original are not each other's nearest neighbors.
    static func vectors() throws -> Matrix {
        let original = Matrix(
            rows: 256, columns: Fixtures.noteDimension, elements: try Fixtures.noteVectors())
        // Reduces the number of dimensions, because debug builds are slow.
        let components = try #require(PrincipalComponents(of: original, limit: 48))
        var notes = components.project(original)
        notes.normalizeRows()
        var elements: [Float] = []
        for row in 0..<notes.rows {
            let note = notes.row(row)
            let cosines = (0..<notes.rows).map { innerProduct(notes.row($0), note) }.sorted(by: >)
            let distance = (2 - 2 * cosines[10]).squareRoot()
            let directions = unitVectors(80, 48, seed: UInt64(row))
            for copy in 0..<80 {
                elements += zip(note, directions.row(copy)).map { $0 + distance * $1 }
            }
        }
        var vectors = Matrix(rows: 80 * notes.rows, columns: 48, elements: elements)
        vectors.normalizeRows()
        return vectors
    }

    @Test func `the search by cells finds nearly all neighbors of vectors of texts`() throws {
        let recall = try LeidenTests().recall(Self.vectors())
        #expect(recall > 0.9, "\(recall)")
    }
}
