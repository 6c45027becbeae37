import Foundation
import RoostSQLite

/// Settings of the whole process, which a program chooses and a library must not.
package enum ProcessSettings {
    /// Applies the settings of a program that uses SQLite and BLAS only through Roost. This must be called
    /// before the first use of either.
    package static func apply() {
        SQLiteMemory.disableStatistics()
        endThreadsOfBLAS()
    }

    /// Ends the threads that OpenBLAS starts when it is loaded.
    ///
    /// Roost calls BLAS with one thread per call. Until they sleep, the other threads of OpenBLAS wait in a
    /// loop, so that a command with a run time of 0.1 s would lose most of a processor core to them. OpenBLAS
    /// ends its threads in the same way before a fork.
    private static func endThreadsOfBLAS() {
        #if !canImport(Accelerate)
            typealias End = @convention(c) () -> Int32
            // The reference implementation of BLAS has neither threads nor this function.
            guard let end = dlsym(nil, "blas_thread_shutdown_") else { return }
            _ = unsafeBitCast(end, to: End.self)()
        #endif
    }
}
