import Logging

/// A conversation storage that can be checked for damage.
///
/// Damage affects only the session or history that contains it. Reading that one throws `StorageError` with
/// `.damaged`, and nothing overwrites it.
public protocol MaintainedStorage<Subject> {
    /// The identity of a stored conversation: the id of a session or the ``ChatScope`` of a history.
    associatedtype Subject: Sendable, Hashable

    /// Returns the stored data that cannot be read.
    ///
    /// - Complexity: Reads all stored data.
    func damage() async throws -> [ConversationDamage<Subject>]
}

/// Stored data that cannot be read.
public struct ConversationDamage<Subject: Sendable & Hashable>: Sendable, Hashable {
    /// The session or history that the data belongs to, if that can be determined.
    public var subject: Subject?
    /// A human-readable description of the location of the data: a file, rows of a table, or a key of the
    /// user defaults.
    public var location: String
    /// The number of messages of the session or history that can still be read.
    public var readable: Int

    /// Creates a description of damage.
    ///
    /// - Parameters:
    ///   - subject: The session or history that the data belongs to, if that can be determined.
    ///   - location: A human-readable description of the location of the data.
    ///   - readable: The number of messages of the session or history that can still be read.
    public init(subject: Subject?, location: String, readable: Int) {
        (self.subject, self.location, self.readable) = (subject, location, readable)
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
