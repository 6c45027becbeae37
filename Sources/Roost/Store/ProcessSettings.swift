import RoostStorage
import RoostVectors

/// Settings of the whole process, which a program chooses and a library must not.
package enum ProcessSettings {
    /// Applies the settings of a program that uses SQLite and BLAS only through Roost. This must be called
    /// before the first use of either.
    package static func apply() {
        SQLiteMemory.disableStatistics()
        #if !canImport(Accelerate)
            BLAS.endThreads()
        #endif
    }
}
