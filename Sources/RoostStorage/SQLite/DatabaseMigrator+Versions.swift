package import GRDB
import RoostModel

extension DatabaseMigrator {
    /// Checks that this version of the program knows every migration that has been applied to a database.
    ///
    /// - Parameter applied: The identifiers of the migrations that the database records as applied.
    /// - Throws: `StorageError` with `.newerFormat` if a migration is unknown.
    package func check(applied: Set<String>, path: String) throws {
        guard applied.isSubset(of: Set(migrations)) else {
            throw StorageError(
                .newerFormat, "cannot open \(path): a newer version of Roost wrote it", remedy: .upgradeRoost)
        }
    }
}
