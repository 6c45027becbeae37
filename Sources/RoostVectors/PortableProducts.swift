import CRoostKernels

/// Matrix products without BLAS, for computers on which it is not installed.
enum PortableProducts {
    /// The number of columns of the result that are computed together. Their part of `b` stays in the cache.
    private static let columnsPerBlock = 64

    /// Computes c = alpha · a · b + beta · c, like ``BLAS/gemm(_:_:into:stride:m:n:k:alpha:beta:)``.
    static func gemm(
        _ a: BLAS.Operand, _ b: BLAS.Operand, into c: UnsafeMutablePointer<Float>, stride: Int,
        m: Int, n: Int, k: Int, alpha: Float, beta: Float
    ) {
        // The inner product requires the rows of `a` and the columns of `b` as contiguous numbers.
        withVectors(of: a, 0..<m, k, areRows: !a.isTransposed) { rows, rowStride in
            for first in Swift.stride(from: 0, to: n, by: columnsPerBlock) {
                let block = first..<min(first + columnsPerBlock, n)
                withVectors(of: b, block, k, areRows: b.isTransposed) { columns, columnStride in
                    for i in 0..<m {
                        for j in block {
                            let product = roost_dot(
                                rows + i * rowStride, columns + (j - first) * columnStride, k)
                            let cell = c + i * stride + j
                            // BLAS does not read the result if beta is 0: it may be uninitialized.
                            cell.pointee = alpha * product + (beta == 0 ? 0 : beta * cell.pointee)
                        }
                    }
                }
            }
        }
    }

    /// Calls `body` with the vectors of an operand in a range, each as `length` contiguous numbers, and
    /// with the distance of their first numbers.
    private static func withVectors(
        of operand: BLAS.Operand, _ range: Range<Int>, _ length: Int, areRows: Bool,
        _ body: (UnsafePointer<Float>, Int) -> Void
    ) {
        guard !areRows else { return body(operand.start + range.lowerBound * operand.stride, operand.stride) }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: max(range.count * length, 1)) { copy in
            guard let base = copy.baseAddress else { return }
            for index in 0..<length {
                let source = operand.start + index * operand.stride
                for (row, column) in range.enumerated() {
                    (base + row * length + index).initialize(to: source[column])
                }
            }
            body(base, length)
        }
    }
}
