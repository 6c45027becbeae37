#if canImport(Accelerate)
    import Accelerate
#else
    import CBLAS
    import CBLASLoader
    import Foundation
    import Synchronization
#endif

/// The only file that calls BLAS. All matrices are row-major Float32.
///
/// On Linux, the first call loads the library, because most commands do not need it. If it is not
/// installed, our own kernels compute the products. The first call also sets OpenBLAS to one thread, for
/// the whole process. Roost parallelizes at exactly one level, over blocks of fixed size, so a result does
/// not depend on the number of threads.
package enum BLAS {
    package struct Implementation: Sendable, Hashable, CustomStringConvertible {
        /// `OpenBLAS 0.3.21`, `Accelerate`, `reference BLAS` if the library does not report a name, or
        /// `not installed` if Roost computes the products.
        package let name: String
        /// The name of the kernel that the library selected for this processor; `nil` if it does not report
        /// one.
        package let kernel: String?

        let isLibrary: Bool

        init(name: String, kernel: String? = nil, isLibrary: Bool = true) {
            (self.name, self.kernel, self.isLibrary) = (name, kernel, isLibrary)
        }

        package var description: String { kernel.map { "\(name) (\($0))" } ?? name }
    }

    /// The library, which the first access loads. It also disables the library's own threads.
    package static let implementation: Implementation = prepare()

    /// A matrix in memory that is owned elsewhere. Row i starts at `start + i * stride`.
    package struct Operand {
        let start: UnsafePointer<Float>
        let stride: Int
        let isTransposed: Bool

        @inline(__always)
        package init(_ start: UnsafePointer<Float>, stride: Int, transposed: Bool = false) {
            (self.start, self.stride) = (start, stride)
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
        guard implementation.isLibrary else {
            return PortableProducts.gemm(
                a, b, into: c, stride: stride, m: m, n: n, k: k, alpha: alpha, beta: beta)
        }
        cblas_sgemm(
            CblasRowMajor, a.isTransposed ? CblasTrans : CblasNoTrans,
            b.isTransposed ? CblasTrans : CblasNoTrans,
            Int32(m), Int32(n), Int32(k), alpha, a.start, Int32(a.stride), b.start, Int32(b.stride), beta, c,
            Int32(stride))
    }

    #if canImport(Accelerate)
        private static func prepare() -> Implementation { Implementation(name: "Accelerate") }
    #else
        /// Whether the threads of OpenBLAS are ended when the library has been loaded.
        private static let endsThreads = Atomic(false)

        /// Selects OpenBLAS's kernels by the features of the processor, unless the environment variable
        /// `OPENBLAS_CORETYPE` does, and ends the threads that it starts when it is loaded. This must be
        /// called before the first use of BLAS, when the process has one thread.
        ///
        /// A version that does not recognize a processor uses SSE3, which takes several times as long.
        ///
        /// Roost calls BLAS with one thread per call. Until they sleep, the other threads of OpenBLAS wait
        /// in a loop, so that a command with a run time of 0.1 s would lose most of a processor core to
        /// them. OpenBLAS ends its threads in the same way before a fork.
        package static func prepareProcess() {
            roost_blas_choose_kernels()
            endsThreads.store(true, ordering: .relaxed)
            // In programs that are linked to the library, the threads exist already.
            if dlsym(nil, "blas_thread_shutdown_") != nil { _ = implementation }
        }

        /// Sets OpenBLAS to one thread, and ends its threads if ``prepareProcess()`` was called.
        static func limitThreads(_ symbol: (String) -> UnsafeMutableRawPointer?) {
            typealias SetThreads = @convention(c) (Int32) -> Void
            typealias End = @convention(c) () -> Int32
            if let set = symbol("openblas_set_num_threads") { unsafeBitCast(set, to: SetThreads.self)(1) }
            guard endsThreads.load(ordering: .relaxed), let end = symbol("blas_thread_shutdown_") else {
                return
            }
            _ = unsafeBitCast(end, to: End.self)()
        }

        private static func prepare() -> Implementation {
            typealias Text = @convention(c) () -> UnsafePointer<CChar>?
            func symbol<T>(_ name: String, as type: T.Type) -> T? {
                roost_blas_symbol(name).map { unsafeBitCast($0, to: type) }
            }
            guard roost_blas_load() == nil else {
                return Implementation(name: "not installed", isLibrary: false)
            }
            guard let configuration = symbol("openblas_get_config", as: Text.self)?() else {
                return Implementation(name: "reference BLAS")
            }
            limitThreads { roost_blas_symbol($0) }
            // For example, "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64"
            let name = String(cString: configuration).split(separator: " ").prefix(2).joined(separator: " ")
            let kernel = symbol("openblas_get_corename", as: Text.self)?().map { String(cString: $0) }
            return Implementation(name: name, kernel: kernel)
        }
    #endif
}
