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
