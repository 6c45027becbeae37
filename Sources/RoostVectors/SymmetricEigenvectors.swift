/// Eigenvectors without LAPACK, for computers on which it is not installed: the cyclic Jacobi method (Golub and
/// Van Loan, *Matrix Computations*, section 8.5), which rotates pairs of rows until the matrix is diagonal.
enum SymmetricEigenvectors {
    /// The maximum number of rotations of each pair. About ten are usual.
    private static let maximumSweeps = 60
    /// The sweeps end if the share of the squares outside of the diagonal is less than the rounding error of
    /// Float32.
    private static let tolerance = 1e-20

    /// Returns the eigenvalues (n), ascending, and the eigenvectors (n, n) with eigenvector i in row i;
    /// `nil` if the matrix contains a number that is not finite.
    static func compute(_ symmetric: Matrix) -> (values: [Float], vectors: Matrix)? {
        let n = symmetric.rows
        var a = [Double](repeating: 0, count: n * n)
        var vectors = a
        for i in 0..<n {
            vectors[i * n + i] = 1
            for j in 0...i {
                a[i * n + j] = Double(symmetric[i, j])
                a[j * n + i] = a[i * n + j]
            }
        }
        let sum = a.reduce(0) { $0 + $1 * $1 }
        guard sum.isFinite else { return nil }
        a.withUnsafeMutableBufferPointer { a in
            vectors.withUnsafeMutableBufferPointer { vectors in
                var sweeps = 0
                while sweeps < maximumSweeps, sweep(a, vectors, n) > tolerance * sum { sweeps += 1 }
            }
        }
        let order = (0..<n).sorted { a[$0 * n + $0] < a[$1 * n + $1] }
        let elements = order.flatMap { row in (0..<n).map { Float(vectors[row * n + $0]) } }
        return (order.map { Float(a[$0 * n + $0]) }, Matrix(rows: n, columns: n, elements: elements))
    }

    /// Rotates each pair of rows and columns so that their common element becomes zero.
    private static func sweep(
        _ a: UnsafeMutableBufferPointer<Double>, _ vectors: UnsafeMutableBufferPointer<Double>, _ n: Int
    ) -> Double {
        var sum = 0.0
        for p in 0..<n {
            for q in p + 1..<max(n, p + 1) where a[p * n + q] != 0 {
                let element = a[p * n + q]
                sum += element * element
                let ratio = (a[q * n + q] - a[p * n + p]) / (2 * element)
                let tangent = (ratio < 0 ? -1 : 1) / (ratio.magnitude + (ratio * ratio + 1).squareRoot())
                let cosine = 1 / (tangent * tangent + 1).squareRoot()
                func rotate(_ values: UnsafeMutableBufferPointer<Double>, _ i: Int, _ j: Int) {
                    let (x, y) = (values[i], values[j])
                    values[i] = cosine * (x - tangent * y)
                    values[j] = cosine * (tangent * x + y)
                }
                for k in 0..<n { rotate(a, p * n + k, q * n + k) }
                for k in 0..<n { rotate(a, k * n + p, k * n + q) }
                for k in 0..<n { rotate(vectors, p * n + k, q * n + k) }
            }
        }
        return sum
    }
}
