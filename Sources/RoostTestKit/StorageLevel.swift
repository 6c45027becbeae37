/// The guarantees that a store claims to give. A store must obey the laws of its level and of all lower
/// levels.
public enum StorageLevel: Int, Sendable, Comparable, CaseIterable {
    /// Entries and clusters can be saved and fetched (`SimpleStorageProvider`).
    case simple
    /// Batches, revisions, snapshots and the change feed are supported, but data lasts only as long as the
    /// process.
    case inMemory
    /// Committed data is stored permanently, even if the store is never closed, and several handles in one
    /// process can use the store.
    case durable
    /// Several processes can use the store at the same time, and killing one of them loses no committed data.
    case severalProcesses

    public static func < (left: StorageLevel, right: StorageLevel) -> Bool { left.rawValue < right.rawValue }
}
