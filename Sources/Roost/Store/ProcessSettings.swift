import RoostSQLite

/// Settings of the whole process, which a program chooses and a library must not.
package enum ProcessSettings {
    /// Applies the settings of a program that uses SQLite only through Roost. This must be called before the
    /// first use of SQLite.
    package static func apply() { SQLiteMemory.disableStatistics() }
}
