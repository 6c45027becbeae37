/// Principal component analysis (Pearson 1901): the directions of largest variance, computed by LAPACK from
/// the covariance matrix.
package struct PrincipalComponents: Sendable {
    package let mean: [Float]
    /// The principal directions (components, d), orthonormal, in descending order of variance.
    package let directions: Matrix
    package let variances: [Float]

    /// The number of vectors that are centered and added to the covariance at a time. The centered copy of a
    /// large matrix thus takes little memory. A different number would change the last bits of the sums.
    private static let blockRows = 4096

    /// Computes the principal components of vectors.
    ///
    /// - Parameters:
    ///   - vectors: (n, d).
    ///   - limit: The maximum number of components; at most d are computed.
    /// - Returns: `nil` if there are no vectors, `limit` is 0, or the numbers are not finite.
    /// - Complexity: O(n · d² + d³).
    package init?(of vectors: Matrix, limit: Int) {
        let (n, d) = (vectors.rows, vectors.columns)
        guard n > 0, d > 0, limit > 0 else { return nil }
        var sums = [Double](repeating: 0, count: d)
        for row in 0..<n {
            vectors.withRow(row) { values in
                for column in 0..<d { sums[column] += Double(values[column]) }
            }
        }
        let mean = sums.map { Float($0 / Double(n)) }
        var covariance = Matrix(rows: d, columns: d)
        let block = Self.blockRows
        var centered = [Float](repeating: 0, count: min(block, n) * d)
        for start in stride(from: 0, to: n, by: block) {
            let count = min(block, n - start)
            vectors.elements.withUnsafeBufferPointer { source in
                for row in 0..<count {
                    for column in 0..<d {
                        centered[row * d + column] = source[(start + row) * d + column] - mean[column]
                    }
                }
            }
            covariance.withUnsafeMutableElements { target in
                guard let target = target.baseAddress else { return }
                BLAS.gemm(
                    .init(centered, stride: d, transposed: true), .init(centered, stride: d), into: target,
                    stride: d, m: d, n: d, k: count, alpha: 1 / Float(n), beta: 1)
            }
        }
        guard let (values, eigenvectors) = LAPACK.eigenvectors(ofSymmetric: covariance) else { return nil }
        let kept = min(limit, d)
        let order = (0..<kept).map { d - 1 - $0 }
        self.mean = mean
        self.directions = eigenvectors.selecting(order)
        self.variances = order.map { max(0, values[$0]) }
    }

    /// Returns the coordinates of vectors along the principal directions.
    package func project(_ vectors: Matrix) -> Matrix {
        let c = directions.rows
        let offset = (0..<c).map { component in
            directions.withRow(component) { direction in
                zip(direction, mean).reduce(Float(0)) { $0 + $1.0 * $1.1 }
            }
        }
        let coordinates = Parallel.mapBlocks(of: vectors.rows, size: 1024) { rows in
            var part = vectors.products(of: rows, with: directions)
            for index in part.indices { part[index] -= offset[index % c] }
            return part
        }
        return Matrix(rows: vectors.rows, columns: c, elements: coordinates.flatMap(\.self))
    }
}
