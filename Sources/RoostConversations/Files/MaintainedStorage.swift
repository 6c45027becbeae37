/// A conversation storage with a versioned schema and a repair procedure.
///
/// Damage affects only the session or history that contains it. Nothing is removed or moved before
/// ``setDamagedAside()`` is called.
public protocol MaintainedStorage<Subject> {
    /// The identity of a stored conversation: the id of a session or the ``ChatScope`` of a history.
    associatedtype Subject: Sendable, Hashable

    /// The schema version that this program writes.
    static var schemaVersion: Int { get }

    /// Migrates the stored data to ``schemaVersion``. Each storage also does this itself before its first
    /// change.
    ///
    /// - Returns: The version before the migration.
    /// - Throws: `StorageError` with `.newerFormat` if a newer program wrote the data.
    @discardableResult
    func migrateIfNeeded() async throws -> Int

    /// Returns the stored data that cannot be read.
    ///
    /// - Complexity: Reads all stored data.
    func damage() async throws -> [ConversationDamage<Subject>]

    /// Moves the data that cannot be read to another location in the storage, where it can be inspected. The
    /// readable remainder of each conversation remains in the storage.
    ///
    /// - Returns: The damage that was found, with ``ConversationDamage/movedTo`` set.
    func setDamagedAside() async throws -> [ConversationDamage<Subject>]
}
