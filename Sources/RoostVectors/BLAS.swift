#if canImport(Accelerate)
    import Accelerate
#else
    import CBLAS
    import Foundation
#endif

/// The only file that calls BLAS. All matrices are row-major Float32.
///
/// The first call sets OpenBLAS to one thread, for the whole process. Roost parallelizes at exactly one
/// level, over blocks of fixed size, so a result does not depend on the number of threads.
package enum BLAS {
    /// The name and kernel that the loaded library reports.
    package struct Implementation: Sendable, Hashable, CustomStringConvertible {
        /// `OpenBLAS 0.3.21`, `Accelerate`, or `reference BLAS` if the library does not report a name.
        package let name: String
        /// The name of the kernel that the library selected for this processor; `nil` if it does not report
        /// one.
        package let kernel: String?

        package var description: String { kernel.map { "\(name) (\($0))" } ?? name }
    }

    /// The library that this process has loaded. The first access also disables the library's own threads.
    package static let implementation: Implementation = prepare()

    /// A matrix in memory that is owned elsewhere. Row i starts at `start + i * stride`.
    package struct Operand {
        let start: UnsafePointer<Float>
        let stride: Int
        let isTransposed: Bool

        @inline(__always)
        package init(_ start: UnsafePointer<Float>, stride: Int, transposed: Bool = false) {
            self.start = start
            self.stride = stride
            self.isTransposed = transposed
        }
    }

    /// Computes c (m, n) = alpha · a · b + beta · c, where a (m, k) and b (k, n) are the operands, transposed
    /// if they request it.
    ///
    /// - Complexity: 2 · m · n · k floating-point operations, on the calling thread.
    @inline(__always)
    package static func gemm(
        _ a: Operand, _ b: Operand, into c: UnsafeMutablePointer<Float>, stride: Int,
        m: Int, n: Int, k: Int, alpha: Float = 1, beta: Float = 0
    ) {
        guard m > 0, n > 0 else { return }
        _ = implementation
        cblas_sgemm(
            CblasRowMajor, a.isTransposed ? CblasTrans : CblasNoTrans,
            b.isTransposed ? CblasTrans : CblasNoTrans,
            Int32(m), Int32(n), Int32(k), alpha, a.start, Int32(a.stride), b.start, Int32(b.stride), beta, c,
            Int32(stride))
    }

    /// Computes y (rows) = matrix (rows, columns) · x (columns).
    @inline(__always)
    package static func gemv(
        _ matrix: UnsafePointer<Float>, rows: Int, columns: Int, _ x: UnsafePointer<Float>,
        into y: UnsafeMutablePointer<Float>
    ) {
        guard rows > 0 else { return }
        _ = implementation
        cblas_sgemv(
            CblasRowMajor, CblasNoTrans, Int32(rows), Int32(columns), 1, matrix, Int32(columns), x, 1, 0, y, 1
        )
    }

    private static func prepare() -> Implementation {
        #if canImport(Accelerate)
            return Implementation(name: "Accelerate", kernel: nil)
        #else
            typealias Text = @convention(c) () -> UnsafePointer<CChar>?
            typealias SetThreads = @convention(c) (Int32) -> Void
            func symbol<T>(_ name: String, as type: T.Type) -> T? {
                dlsym(nil, name).map { unsafeBitCast($0, to: type) }
            }
            guard let configuration = symbol("openblas_get_config", as: Text.self)?() else {
                return Implementation(name: "reference BLAS", kernel: nil)
            }
            symbol("openblas_set_num_threads", as: SetThreads.self)?(1)
            // For example, "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64"
            let name = String(cString: configuration).split(separator: " ").prefix(2).joined(separator: " ")
            let kernel = symbol("openblas_get_corename", as: Text.self)?().map { String(cString: $0) }
            return Implementation(name: name, kernel: kernel)
        #endif
    }
}
