import Foundation
import RoostModel
import RoostSQLite

/// Reports a repair or conversion of a database that was interrupted after its result was complete.
struct ReplacementCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let url = StoreConfiguration.databaseURL(configuration.directory)
        guard configuration.manifest.provider == .sqlite, SQLiteStorageProvider.isReplacementPending(url)
        else { return [] }
        return [
            .note(
                url.path,
                "a repair or conversion was interrupted; its result is used, and replaces the file as soon "
                    + "as the store is opened with permission to write")
        ]
    }
}
