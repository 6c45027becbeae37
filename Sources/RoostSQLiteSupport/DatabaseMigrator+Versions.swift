package import GRDB
import RoostModel

extension DatabaseMigrator {
    /// Checks that this program knows all migrations of a database.
    ///
    /// - Parameter applied: The identifiers of the migrations that the database records as applied.
    /// - Throws: `StorageError` with `.newerFormat`.
    package func check(applied: Set<String>, path: String) throws {
        guard applied.isSubset(of: Set(migrations)) else {
            throw StorageError(
                .newerFormat, "cannot open \(path): a newer version of Roost wrote it", remedy: .upgradeRoost)
        }
    }
}
