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
