import CRoostSQLite

/// The memory that SQLite uses in this process.
package enum SQLiteMemory {
    /// Turns off SQLite's count of its memory, whose lock all threads share. This must be called before the
    /// first use of SQLite; later calls have no effect. Libraries must not call it, because the program may
    /// use the count.
    package static func disableStatistics() { _ = roost_disable_memory_statistics() }
}
