import Logging
import RoostModel

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

/// Stored data that cannot be read.
public struct ConversationDamage<Subject: Sendable & Hashable>: Sendable, Hashable {
    /// The session or history that the data belongs to, if that can be determined.
    public var subject: Subject?
    /// A human-readable description of the location of the data: a file, rows of a table, or a key of the
    /// user defaults.
    public var location: String
    /// The location to which the data was moved; `nil` if it was not moved.
    public var movedTo: String?
    /// The number of messages of the session or history that can still be read. They remain in the storage.
    public var readable: Int

    /// Creates a description of damage.
    ///
    /// - Parameters:
    ///   - subject: The session or history that the data belongs to, if that can be determined.
    ///   - location: A human-readable description of the location of the data.
    ///   - movedTo: The location to which the data was moved.
    ///   - readable: The number of messages of the session or history that can still be read.
    public init(subject: Subject?, location: String, movedTo: String? = nil, readable: Int) {
        (self.subject, self.location, self.movedTo, self.readable) = (subject, location, movedTo, readable)
    }
}

/// A function that is called when a result omits data because it cannot be read.
public typealias DamageHandler<Subject: Sendable & Hashable> =
    @Sendable (ConversationDamage<Subject>) -> Void

/// The default ``DamageHandler``, which logs a warning.
enum DamageLog {
    private static let logger = Logger(label: "roost.conversations")

    static func warn<Subject>(_ damage: ConversationDamage<Subject>) {
        logger.warning(
            "skipped damaged conversation data", metadata: ["location": "\(damage.location)"])
    }
}
