#if canImport(Accelerate)
    import Accelerate
#else
    import CBLASLoader
    import CLAPACK
#endif

/// The only file that calls LAPACK. On Linux, the first call loads it; if it is not installed,
/// ``SymmetricEigenvectors`` computes the result.
package enum LAPACK {
    #if !canImport(Accelerate)
        /// Whether the library is loaded. It can contain an OpenBLAS even if BLAS is another library.
        private static let isLoaded: Bool = {
            _ = BLAS.implementation
            guard roost_lapack_load() == nil else { return false }
            BLAS.limitThreads { roost_lapack_symbol($0) }
            return true
        }()
    #endif

    /// Returns the eigenvalues and eigenvectors of a symmetric matrix, computed by divide and conquer
    /// (`ssyevd`).
    ///
    /// - Parameter symmetric: (n, n); only one triangle is read.
    /// - Returns: `values` (n), ascending, and `vectors` (n, n) with eigenvector i in row i; `nil` if a
    ///   number is not finite, if the iteration did not converge, which does not happen for finite input, or
    ///   if the size of the library's workspace exceeds 32 bits (n > 32,766).
    /// - Complexity: O(n³) time, and 3n² numbers of memory in addition to the input.
    package static func eigenvectors(ofSymmetric symmetric: Matrix) -> (values: [Float], vectors: Matrix)? {
        precondition(symmetric.rows == symmetric.columns, "the matrix must be square")
        let order = symmetric.rows
        guard order > 0 else { return ([], symmetric) }
        // For many orders, `ssyevd` reports success and returns NaN if a number is not finite.
        guard symmetric.isFinite else { return nil }
        #if !canImport(Accelerate)
            guard isLoaded else { return SymmetricEigenvectors.compute(symmetric) }
        #endif
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
        guard info == 0, let size = workspaceSize(order: order, reported: workSize) else { return nil }
        lwork = size
        liwork = integerWorkSize
        var work = [Float](repeating: 0, count: Int(lwork))
        var integerWork = [Int32](repeating: 0, count: Int(liwork))
        ssyevd_(&job, &triangle, &n, &a, &lda, &values, &work, &lwork, &integerWork, &liwork, &info)
        // Fortran stores matrices column by column, so its column i is row i here.
        return info == 0 ? (values, Matrix(rows: order, columns: order, elements: a)) : nil
    }

    /// Returns the size of the workspace that `ssyevd` needs to compute eigenvectors: the size that it
    /// reports, but at least the documented minimum.
    ///
    /// `ssyevd` reports the size as a Float32, and before LAPACK 3.12 the conversion may round it down. From
    /// an order of 2,897 on, it can then be one less than the minimum, which `ssyevd` rejects.
    ///
    /// - Returns: `nil` if the size exceeds 32 bits.
    static func workspaceSize(order n: Int, reported: Float) -> Int32? {
        Int32(exactly: max(1 + 6 * n + 2 * n * n, Int(reported)))
    }
}
