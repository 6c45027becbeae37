import Foundation
import RoostModel

/// Inspects the files of the storage provider.
struct StorageFileCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) async throws -> [StorageFinding] {
        // Opening a JSON storage would create the missing folder.
        if configuration.manifest.provider == .json, !configuration.hasStorageFiles {
            let url = StoreConfiguration.storageURL(configuration.directory)
            return [.damage(url.path, "is missing; restore it from a copy")]
        }
        return try await configuration.inspect()
    }
}
