/// Principal component analysis: the directions along which vectors differ most (Pearson 1901), by LAPACK
/// from the covariance matrix.
package struct PrincipalComponents: Sendable {
    /// The mean of the vectors (d).
    package let mean: [Float]
    /// The directions (components, d), unit length and orthogonal, largest variance first.
    package let directions: Matrix
    /// The variance along each direction, descending.
    package let variances: [Float]

    /// - Parameters:
    ///   - vectors: (n, d), n ≥ 1.
    ///   - limit: how many directions to keep at most; fewer are kept where d is smaller.
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
        let block = 4096
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

    /// The coordinates of vectors along the directions.
    ///
    /// - Parameter vectors: (n, d).
    /// - Returns: (n, components).
    package func project(_ vectors: Matrix) -> Matrix {
        let (n, d, c) = (vectors.rows, vectors.columns, directions.rows)
        let offset = (0..<c).map { component in
            directions.withRow(component) { direction in
                zip(direction, mean).reduce(Float(0)) { $0 + $1.0 * $1.1 }
            }
        }
        return Matrix(rows: n, columns: c) { target in
            let output = DisjointWrites(target)
            vectors.elements.withUnsafeBufferPointer { source in
                directions.elements.withUnsafeBufferPointer { basis in
                    guard let source = source.baseAddress, let basis = basis.baseAddress else { return }
                    let input = SharedReads(source)
                    let directions = SharedReads(basis)
                    Parallel.forEachBlock(of: n, size: 1024) { rows in
                        BLAS.gemm(
                            .init(input.pointer + rows.lowerBound * d, stride: d),
                            .init(directions.pointer, stride: d, transposed: true),
                            into: output.pointer + rows.lowerBound * c, stride: c, m: rows.count, n: c, k: d)
                        for row in rows {
                            for component in 0..<c { output[row * c + component] -= offset[component] }
                        }
                    }
                }
            }
        }
    }
}
