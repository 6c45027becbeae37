/// Eigenvectors without LAPACK, for computers on which it is not installed.
///
/// The cyclic Jacobi method rotates pairs of rows and columns until all elements outside the diagonal
/// vanish (Golub and Van Loan, *Matrix Computations*, section 8.5).
struct JacobiEigenvectors {
    /// The order of the matrix.
    private let n: Int
    /// The matrix, which becomes diagonal (n, n).
    private var a: [Double]
    /// The product of the rotations; row i becomes eigenvector i (n, n).
    private var vectors: [Double]

    /// Six to ten sweeps are usual, for any order.
    private static let maximumSweeps = 60

    /// Returns the eigenvalues (n), ascending, and the eigenvectors (n, n) with eigenvector i in row i;
    /// `nil` if the matrix contains a number that is not finite.
    ///
    /// - Parameter symmetric: (n, n); only the triangle below the diagonal is read.
    /// - Complexity: O(n³) for each sweep.
    static func compute(_ symmetric: Matrix) -> (values: [Float], vectors: Matrix)? {
        var state = JacobiEigenvectors(symmetric)
        guard state.diagonalize() else { return nil }
        return state.sorted()
    }

    private init(_ symmetric: Matrix) {
        n = symmetric.rows
        a = [Double](repeating: 0, count: n * n)
        vectors = a
        for i in 0..<n {
            vectors[i * n + i] = 1
            for j in 0...i {
                a[i * n + j] = Double(symmetric[i, j])
                a[j * n + i] = a[i * n + j]
            }
        }
    }

    private mutating func diagonalize() -> Bool {
        let total = a.reduce(0) { $0 + $1 * $1 }
        guard total.isFinite else { return false }
        for _ in 0..<Self.maximumSweeps {
            var outside = 0.0
            for i in 0..<n { for j in 0..<i { outside += 2 * a[i * n + j] * a[i * n + j] } }
            // The numbers of the result have 24 bits.
            if outside <= total * 0x1p-60 { return true }
            for p in 0..<n { for q in (p + 1)..<max(n, p + 1) { rotate(p, q) } }
        }
        return false
    }

    /// Makes the element (p, q) zero.
    private mutating func rotate(_ p: Int, _ q: Int) {
        let element = a[p * n + q]
        guard element != 0 else { return }
        let difference = (a[q * n + q] - a[p * n + p]) / (2 * element)
        // The smaller of the two rotations.
        let tangent =
            (difference < 0 ? -1 : 1) / (difference.magnitude + (difference * difference + 1).squareRoot())
        let cosine = 1 / (tangent * tangent + 1).squareRoot()
        let sine = tangent * cosine
        a.withUnsafeMutableBufferPointer { a in
            for i in 0..<n where i != p && i != q {
                let (first, second) = (a[p * n + i], a[q * n + i])
                a[p * n + i] = cosine * first - sine * second
                a[q * n + i] = sine * first + cosine * second
            }
            for i in 0..<n where i != p && i != q {
                a[i * n + p] = a[p * n + i]
                a[i * n + q] = a[q * n + i]
            }
            a[p * n + p] -= tangent * element
            a[q * n + q] += tangent * element
            a[p * n + q] = 0
            a[q * n + p] = 0
        }
        vectors.withUnsafeMutableBufferPointer { vectors in
            for i in 0..<n {
                let (first, second) = (vectors[p * n + i], vectors[q * n + i])
                vectors[p * n + i] = cosine * first - sine * second
                vectors[q * n + i] = sine * first + cosine * second
            }
        }
    }

    private func sorted() -> (values: [Float], vectors: Matrix) {
        let order = (0..<n).sorted { a[$0 * n + $0] < a[$1 * n + $1] }
        let elements = order.flatMap { row in (0..<n).map { Float(vectors[row * n + $0]) } }
        return (order.map { Float(a[$0 * n + $0]) }, Matrix(rows: n, columns: n, elements: elements))
    }
}
