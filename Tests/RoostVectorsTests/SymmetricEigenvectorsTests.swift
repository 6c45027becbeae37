import Testing

@testable import RoostVectors

@Suite struct SymmetricEigenvectorsTests {
    /// Returns the products of the columns of pseudorandom vectors: a symmetric matrix without negative eigenvalues.
    private static func covariance(_ n: Int) -> Matrix {
        let vectors = unitVectors(n + 3, n, seed: UInt64(n))
        let elements = (0..<n).flatMap { i in
            (0..<n).map { j in (0..<vectors.rows).reduce(Float(0)) { $0 + vectors[$1, i] * vectors[$1, j] } }
        }
        return Matrix(rows: n, columns: n, elements: elements)
    }

    @Test(arguments: [1, 2, 3, 10, 64])
    func `eigenvalues and eigenvectors agree with LAPACK`(order: Int) throws {
        let symmetric = Self.covariance(order)
        let (values, vectors) = try #require(SymmetricEigenvectors.compute(symmetric))
        let (expected, expectedVectors) = try #require(LAPACK.eigenvectors(ofSymmetric: symmetric))
        for i in 0..<order {
            #expect(abs(values[i] - expected[i]) < 1e-5)
            // The sign of an eigenvector is arbitrary.
            #expect(abs(abs(innerProduct(vectors.row(i), expectedVectors.row(i))) - 1) < 1e-3)
        }
    }

    @Test func `equal eigenvalues have orthonormal eigenvectors`() throws {
        let symmetric = Matrix([[2, 1, 1], [1, 2, 1], [1, 1, 2]], columns: 3)
        let (values, vectors) = try #require(SymmetricEigenvectors.compute(symmetric))
        for (value, expected) in zip(values, [1, 1, 4] as [Float]) { #expect(abs(value - expected) < 1e-6) }
        for i in 0..<3 {
            for j in 0...i {
                #expect(abs(innerProduct(vectors.row(i), vectors.row(j)) - (i == j ? 1 : 0)) < 1e-6)
            }
        }
    }

    @Test func `a matrix of zeros has the axes as eigenvectors`() throws {
        let (values, vectors) = try #require(
            SymmetricEigenvectors.compute(
                Matrix(rows: 3, columns: 3, elements: [Float](repeating: 0, count: 9)))
        )
        #expect(values == [0, 0, 0])
        #expect((0..<3).allSatisfy { vectors[$0, $0] == 1 })
    }

    @Test func `a matrix with a number that is not finite is refused`() {
        #expect(SymmetricEigenvectors.compute(Matrix([[1, .nan], [.nan, 1]], columns: 2)) == nil)
        #expect(SymmetricEigenvectors.compute(Matrix([[.infinity, 0], [0, 1]], columns: 2)) == nil)
    }
}
