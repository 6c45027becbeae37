import Foundation
import RoostModel

/// The comparison of the id that a manifest records with the id in the storage.
///
/// A storage that does not belong to its manifest would be reported as empty, or searched with the vectors of
/// another model. It results from a database that was copied from another store, or from a manifest that
/// names the wrong provider.
struct StoreIdentity {
    let configuration: StoreConfiguration

    private var manifest: StoreManifest { configuration.manifest }

    /// The configuration with the other provider that keeps its data in the folder.
    private var other: StoreConfiguration {
        var other = manifest
        other.provider = manifest.provider == .sqlite ? .json : .sqlite
        return StoreConfiguration(directory: configuration.directory, manifest: other)
    }

    /// The description of a storage that is missing; `nil` if it exists or need not exist yet.
    var missingStorage: String? {
        guard !configuration.hasStorage else { return nil }
        let path = configuration.storagePath
        if other.hasStorage {
            return "\(StoreManifest.fileName) names the provider \(manifest.provider.rawValue), but \(path) "
                + "is missing, and \(other.storagePath) exists"
        }
        // The manifest of a new store has no id yet.
        return manifest.store == nil ? nil : "\(path) is missing or empty"
    }

    /// Checks that the storage exists, unless the store is new. Call this before opening the storage, because
    /// opening creates a missing one.
    ///
    /// - Throws: `StorageError` with `.damaged` if the storage is missing.
    func checkFiles() throws {
        guard let missingStorage else { return }
        throw damaged(missingStorage)
    }

    /// Returns the description of a storage that belongs to another store; `nil` if it belongs to the
    /// manifest.
    func mismatch(_ stamp: Stamp) -> String? {
        guard let store = manifest.store, store != stamp.store else { return nil }
        return "\(StoreManifest.fileName) describes the store \(store), but \(configuration.storagePath) "
            + "contains the store \(stamp.store)"
    }

    /// Checks that the storage belongs to the manifest.
    ///
    /// - Throws: `StorageError` with `.damaged` if the storage belongs to another store.
    func check(_ stamp: Stamp) throws {
        guard let mismatch = mismatch(stamp) else { return }
        throw damaged(mismatch)
    }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(
            .damaged,
            "cannot open the store in \(configuration.directory.path): \(reason); restore the matching "
                + "files, or repair the store to use the storage that is present",
            remedy: .inspectStore)
    }

    /// Returns the configuration with the provider whose files exist, if those of the manifest's provider are
    /// missing.
    var withExistingStorage: StoreConfiguration {
        configuration.hasStorage || !other.hasStorage ? configuration : other
    }
}
