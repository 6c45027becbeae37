import Logging
import RoostModel

/// A storage of conversations that knows what it was written with, and what of it cannot be read.
///
/// What cannot be read is an error of its own session or scope, never of others, and nothing is removed or
/// moved before ``setDamagedAside()`` is called.
public protocol MaintainedStorage<Subject> {
    /// What is kept: sessions by their ids, histories by their scopes.
    associatedtype Subject: Sendable, Hashable

    /// The schema that this program writes.
    static var schemaVersion: Int { get }

    /// Brings what is kept to ``schemaVersion``. Each storage does so by itself before its first change.
    ///
    /// - Returns: the version that it had.
    /// - Throws: ``StorageError`` with `.newerFormat` where a later program wrote it.
    @discardableResult
    func migrateIfNeeded() async throws -> Int

    /// What cannot be read.
    ///
    /// - Complexity: reads all there is.
    func damage() async throws -> [ConversationDamage<Subject>]

    /// Moves what cannot be read out of the way, where people find it, and goes on with the rest.
    ///
    /// - Returns: what was moved, and where to.
    func setDamagedAside() async throws -> [ConversationDamage<Subject>]
}

/// Something that a storage has and cannot read.
public struct ConversationDamage<Subject: Sendable & Hashable>: Sendable, Hashable {
    /// Whose it is, where that can be told.
    public var subject: Subject?
    /// What it is: a file, rows of a table, a key of the user's defaults.
    public var place: String
    /// Where it was moved to; `nil` where it was not.
    public var aside: String?
    /// How many messages of the session or history can be read all the same. They stay in it.
    public var readable: Int

    public init(subject: Subject?, place: String, aside: String? = nil, readable: Int) {
        (self.subject, self.place, self.aside, self.readable) = (subject, place, aside, readable)
    }
}

/// Who is told of what is left out of a list because it cannot be read.
public typealias DamageHandler<Subject: Sendable & Hashable> =
    @Sendable (ConversationDamage<Subject>) -> Void

/// What is done where no handler is given: nothing is left out without a word.
enum DamageLog {
    private static let logger = Logger(label: "roost.conversations")

    static func warn<Subject>(_ damage: ConversationDamage<Subject>) {
        logger.warning("left out what cannot be read", metadata: ["place": "\(damage.place)"])
    }
}
