import RoostModel

/// Compares the ids of the manifest and the storage.
struct IdentityCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) async throws -> [StorageFinding] {
        let identity = StoreIdentity(configuration: configuration)
        let path = configuration.storagePath
        if let missing = identity.missingStorage {
            return [
                .damage(
                    path, "does not belong to its manifest: \(missing)",
                    remedy: identity.withExistingStorage.manifest.provider == configuration.manifest.provider
                        ? nil : "writes the manifest again for the provider whose files exist")
            ]
        }
        // Damage that prevents opening is reported by the check of the storage's files.
        guard configuration.hasStorage, (try? configuration.hasCurrentFormat()) == true,
            let stamp = try? await configuration.storageStamp(), let mismatch = identity.mismatch(stamp)
        else { return [] }
        return [
            .damage(
                path, "does not belong to its manifest: \(mismatch)",
                remedy: "writes the manifest again for that store, if an installed model computed its vectors"
            )
        ]
    }
}
