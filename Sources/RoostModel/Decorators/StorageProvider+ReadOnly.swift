extension StorageProvider {
    /// Refuses whatever would change the store, with `.readOnly`; reads, and `close()`, go through.
    public func readOnly() -> some StorageProvider { ReadOnlyStorage(base: self) }
}

private struct ReadOnlyStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base

    private func refuse() -> StorageError {
        StorageError(.readOnly, "the store was opened for reading only; nothing was changed")
    }

    func commit(_ batch: WriteBatch) async throws -> Revision { throw refuse() }
    func renewEpoch() async throws -> Stamp { throw refuse() }
    func compact() async throws { throw refuse() }
    func saveEntry(_ entry: Entry) async throws { throw refuse() }
    func saveEntries(_ entries: [Entry]) async throws { throw refuse() }
    func updateCluster(_ cluster: Cluster) async throws { throw refuse() }
    func deleteEntry(_ id: Entry.ID) async throws { throw refuse() }
}
