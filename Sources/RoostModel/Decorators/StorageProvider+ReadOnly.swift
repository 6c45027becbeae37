extension StorageProvider {
    /// Returns a provider that reads from this one and rejects every change with the error `.readOnly`.
    ///
    /// Reads and ``close()`` are forwarded. ``compact()`` counts as a change.
    public func readOnly() -> some StorageProvider { ReadOnlyStorage(base: self) }
}

private struct ReadOnlyStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base

    private func refuse() -> StorageError {
        StorageError(.readOnly, "cannot write to the store: it was opened for reading only")
    }

    func commit(_ batch: WriteBatch) async throws -> Revision { throw refuse() }
    func renewEpoch() async throws -> Stamp { throw refuse() }
    func compact() async throws { throw refuse() }
}
