import Testing

@testable import RoostVectors

@Suite struct LAPACKTests {
    @Test func `eigenvectors of a symmetric matrix are orthonormal and reproduce it`() throws {
        let symmetric = Matrix([[4, 1, 0], [1, 3, 1], [0, 1, 2]], columns: 3)
        let (values, vectors) = try #require(LAPACK.eigenvectors(ofSymmetric: symmetric))
        #expect(values == values.sorted())
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
            let product = innerProduct(vectors.row(i), vectors.row(j))
            #expect(abs(product - (i == j ? 1 : 0)) < 1e-5)
            let element = (0..<3).reduce(Float(0)) { $0 + values[$1] * vectors[$1, i] * vectors[$1, j] }
            #expect(abs(element - symmetric[i, j]) < 1e-5)
        }
    }

    @Test(arguments: [1, 3, 40], [Float.nan, .infinity])
    func `a matrix with a number that is not finite has no eigenvectors`(order: Int, number: Float) {
        var symmetric = Matrix(rows: order, columns: order)
        for row in 0..<order { symmetric[row, row] = Float(row + 1) }
        symmetric[0, 0] = number
        #expect(LAPACK.eigenvectors(ofSymmetric: symmetric)?.values == nil)
    }

    @Test func `vectors whose covariance overflows have no principal components`() {
        let rows = (0..<50).map { [Float($0 % 7), 1] + [Float](repeating: 0, count: 38) }
        let vectors = Matrix(rows, columns: 40)
        #expect(PrincipalComponents(of: vectors, limit: 2)?.variances != nil)
        var large = vectors
        large.withUnsafeMutableElements { for index in $0.indices { $0[index] *= 1e25 } }
        #expect(PrincipalComponents(of: large, limit: 2)?.variances == nil)
    }

    @Test func `the workspace has the documented minimum where Float32 rounds the reported size down`() {
        // The size that ssyevd reports for the dimension 3,072, and the size that it requires.
        #expect(LAPACK.workspaceSize(order: 3072, reported: 18_892_800) == 18_892_801)
        #expect(LAPACK.workspaceSize(order: 384, reported: 400_000) == 400_000)
    }

    @Test func `a workspace whose size exceeds 32 bits is refused`() {
        #expect(LAPACK.workspaceSize(order: 32_766, reported: 0) != nil)
        #expect(LAPACK.workspaceSize(order: 32_767, reported: 0) == nil)
    }
}

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
