#if canImport(Accelerate)
    import Accelerate
#else
    import CLAPACK
#endif

/// The one place that calls LAPACK.
package enum LAPACK {
    /// The eigenvalues, ascending, and eigenvectors of a symmetric matrix, by divide and conquer (`ssyevd`).
    ///
    /// - Parameter symmetric: (n, n); only one triangle is read.
    /// - Returns: `values` (n) ascending, and `vectors` (n, n) with eigenvector i in row i; `nil` where the
    ///   iteration did not converge, which finite input does not do.
    /// - Complexity: O(n³).
    package static func eigenvectors(ofSymmetric symmetric: Matrix) -> (values: [Float], vectors: Matrix)? {
        precondition(symmetric.rows == symmetric.columns, "a symmetric matrix is square")
        let order = symmetric.rows
        guard order > 0 else { return ([], symmetric) }
        var a = symmetric.elements
        var values = [Float](repeating: 0, count: order)
        var n = Int32(order)
        var info: Int32 = 0
        var job = CChar(UInt8(ascii: "V"))
        var triangle = CChar(UInt8(ascii: "U"))
        var lwork: Int32 = -1
        var liwork: Int32 = -1
        var workSize: Float = 0
        var integerWorkSize: Int32 = 0
        var lda = n
        ssyevd_(&job, &triangle, &n, &a, &lda, &values, &workSize, &lwork, &integerWorkSize, &liwork, &info)
        guard info == 0 else { return nil }
        lwork = Int32(workSize)
        liwork = integerWorkSize
        var work = [Float](repeating: 0, count: Int(lwork))
        var integerWork = [Int32](repeating: 0, count: Int(liwork))
        ssyevd_(&job, &triangle, &n, &a, &lda, &values, &work, &lwork, &integerWork, &liwork, &info)
        // Fortran stores columns one after the other, so that its column i is our row i.
        return info == 0 ? (values, Matrix(rows: order, columns: order, elements: a)) : nil
    }
}
