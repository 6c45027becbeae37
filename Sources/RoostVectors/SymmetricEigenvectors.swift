/// Eigenvectors without LAPACK, for computers on which it is not installed.
///
/// Householder reflections make the matrix tridiagonal; then the implicit QL method makes it diagonal
/// (Golub and Van Loan, *Matrix Computations*, sections 8.3.1 and 8.3.3). All loops run over rows, whose
/// numbers are contiguous.
struct SymmetricEigenvectors {
    /// The order of the matrix.
    private let n: Int
    /// The matrix, whose rows and columns are reflected (n, n). Row k finally contains the vector of
    /// reflection k from column k + 1 on.
    private var a: [Double]
    /// The diagonal of the tridiagonal matrix (n); finally the eigenvalues.
    private var diagonal: [Double]
    /// The numbers below the diagonal (n); the last one is 0.
    private var below: [Double]
    /// The transposed product of the reflections and rotations (n, n); row i becomes eigenvector i.
    private var vectors: [Double]

    /// The maximum number of QL steps for each eigenvalue. Two or three are usual.
    private static let maximumSteps = 60

    /// Returns the eigenvalues (n), ascending, and the eigenvectors (n, n) with eigenvector i in row i;
    /// `nil` if the matrix contains a number that is not finite.
    ///
    /// - Parameter symmetric: (n, n); only the triangle below the diagonal is read.
    /// - Complexity: O(n³) time, and 16n² bytes.
    static func compute(_ symmetric: Matrix) -> (values: [Float], vectors: Matrix)? {
        var state = SymmetricEigenvectors(symmetric)
        guard state.a.allSatisfy(\.isFinite) else { return nil }
        state.makeTridiagonal()
        state.multiplyReflections()
        return state.makeDiagonal() ? state.sorted() : nil
    }

    private init(_ symmetric: Matrix) {
        n = symmetric.rows
        a = [Double](repeating: 0, count: n * n)
        diagonal = [Double](repeating: 0, count: n)
        below = diagonal
        vectors = a
        for i in 0..<n {
            vectors[i * n + i] = 1
            for j in 0...i {
                a[i * n + j] = Double(symmetric[i, j])
                a[j * n + i] = a[i * n + j]
            }
        }
    }

    // MARK: Reflections

    /// Replaces the matrix A by H · A · H for each column, where H = 1 − v · vᵀ reflects the numbers below
    /// the diagonal to the first of them.
    private mutating func makeTridiagonal() {
        var product = [Double](repeating: 0, count: n)
        a.withUnsafeMutableBufferPointer { a in
            for k in 0..<n {
                diagonal[k] = a[k * n + k]
                guard k + 1 < n else { break }
                let columns = k + 1..<n
                below[k] = Self.reflect(UnsafeMutableBufferPointer(rebasing: a[k * n + k + 1..<(k + 1) * n]))
                // p = A · v and w = p − (vᵀ · p / 2) · v, then A − v · wᵀ − w · vᵀ.
                var half = 0.0
                for i in columns {
                    var sum = 0.0
                    for j in columns { sum += a[i * n + j] * a[k * n + j] }
                    product[i] = sum
                    half += sum * a[k * n + i] / 2
                }
                for i in columns { product[i] -= half * a[k * n + i] }
                for i in columns {
                    let (first, second) = (a[k * n + i], product[i])
                    for j in columns { a[i * n + j] -= first * product[j] + second * a[k * n + j] }
                }
            }
        }
    }

    /// Replaces a vector x by the v for which (1 − v · vᵀ) · x has only zeros after its first number, and
    /// returns that number.
    private static func reflect(_ x: UnsafeMutableBufferPointer<Double>) -> Double {
        let scale = x.reduce(0) { max($0, $1.magnitude) }
        let first = x[0]
        // There is nothing to reflect.
        guard x.dropFirst().contains(where: { $0 != 0 }) else {
            x.update(repeating: 0)
            return first
        }
        let length = scale * x.reduce(0) { $0 + ($1 / scale) * ($1 / scale) }.squareRoot()
        let result = first > 0 ? -length : length
        x[0] = first - result
        // v is scaled so that vᵀ · v = 2.
        let norm = (length * (length + first.magnitude)).squareRoot()
        for index in x.indices { x[index] /= norm }
        return result
    }

    /// Multiplies the reflections. Their product is transposed, so the last reflection is on the left.
    private mutating func multiplyReflections() {
        var sums = [Double](repeating: 0, count: n)
        vectors.withUnsafeMutableBufferPointer { vectors in
            a.withUnsafeBufferPointer { a in
                for k in stride(from: n - 2, through: 0, by: -1) {
                    // Q − (Q · v) · vᵀ, of which only the rows and columns after k change.
                    let columns = k + 1..<n
                    for i in columns {
                        var sum = 0.0
                        for j in columns { sum += vectors[i * n + j] * a[k * n + j] }
                        sums[i] = sum
                    }
                    for i in columns {
                        for j in columns { vectors[i * n + j] -= sums[i] * a[k * n + j] }
                    }
                }
            }
        }
    }

    // MARK: Rotations

    private mutating func makeDiagonal() -> Bool {
        for l in 0..<n {
            var steps = 0
            while true {
                let m = firstSmall(from: l)
                if m == l { break }
                guard steps < Self.maximumSteps else { return false }
                steps += 1
                rotate(from: m, to: l)
            }
        }
        return true
    }

    /// Returns the index of the first negligible number below the diagonal from an index on.
    private func firstSmall(from l: Int) -> Int {
        (l..<n - 1).first { m in
            below[m].magnitude <= .ulpOfOne * (diagonal[m].magnitude + diagonal[m + 1].magnitude)
        } ?? n - 1
    }

    /// A step of the implicit QL method between two indexes, with a shift near the eigenvalue at `l`.
    private mutating func rotate(from m: Int, to l: Int) {
        var g = (diagonal[l + 1] - diagonal[l]) / (2 * below[l])
        var r = Self.length(g, 1)
        g = diagonal[m] - diagonal[l] + below[l] / (g + (g < 0 ? -r : r))
        var (sine, cosine, p) = (1.0, 1.0, 0.0)
        for i in stride(from: m - 1, through: l, by: -1) {
            let f = sine * below[i]
            let b = cosine * below[i]
            r = Self.length(f, g)
            below[i + 1] = r
            // The matrix falls into two parts.
            guard r != 0 else {
                diagonal[i + 1] -= p
                below[m] = 0
                return
            }
            sine = f / r
            cosine = g / r
            g = diagonal[i + 1] - p
            r = (diagonal[i] - g) * sine + 2 * cosine * b
            p = sine * r
            diagonal[i + 1] = g + p
            g = cosine * r - b
            rotateVectors(i, cosine, sine)
        }
        diagonal[l] -= p
        below[l] = g
        below[m] = 0
    }

    private mutating func rotateVectors(_ i: Int, _ cosine: Double, _ sine: Double) {
        vectors.withUnsafeMutableBufferPointer { vectors in
            for k in i * n..<(i + 1) * n {
                let (first, second) = (vectors[k], vectors[k + n])
                vectors[k + n] = sine * first + cosine * second
                vectors[k] = cosine * first - sine * second
            }
        }
    }

    /// Returns the length of a vector, without overflow.
    private static func length(_ x: Double, _ y: Double) -> Double {
        let (large, small) = (max(x.magnitude, y.magnitude), min(x.magnitude, y.magnitude))
        guard large > 0 else { return 0 }
        return large * (1 + (small / large) * (small / large)).squareRoot()
    }

    private func sorted() -> (values: [Float], vectors: Matrix) {
        let order = (0..<n).sorted { diagonal[$0] < diagonal[$1] }
        let elements = order.flatMap { row in (0..<n).map { Float(vectors[row * n + $0]) } }
        return (order.map { Float(diagonal[$0]) }, Matrix(rows: n, columns: n, elements: elements))
    }
}
