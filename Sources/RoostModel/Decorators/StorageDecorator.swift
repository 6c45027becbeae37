public import Foundation

/// A storage provider that wraps another one and forwards every call that it does not implement itself.
///
/// Decorators are generic over the wrapped provider. The methods that apply them, such as
/// ``StorageProvider/readOnly()``, also work on `any StorageProvider`. The first one applied is the
/// innermost:
///
///     let storage = try LocalStorageProvider().readOnly().logging()
///
/// The simple verbs, such as ``StorageProvider/saveEntry(_:)``, are not forwarded: their default
/// implementations call the other methods of the decorator, so no call bypasses it.
public protocol StorageDecorator<Base>: StorageProvider {
    /// The type of the wrapped provider.
    associatedtype Base: StorageProvider
    /// The wrapped provider.
    var base: Base { get }
}

extension StorageDecorator {
    public func commit(_ batch: WriteBatch) async throws -> Revision { try await base.commit(batch) }
    public func snapshot() async throws -> any StorageSnapshot { try await base.snapshot() }
    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await base.changes(after: cursor, limit: limit)
    }
    @discardableResult
    public func renewEpoch() async throws -> Stamp { try await base.renewEpoch() }
    public func compact() async throws { try await base.compact() }
    public func close() async throws { try await base.close() }
}

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
