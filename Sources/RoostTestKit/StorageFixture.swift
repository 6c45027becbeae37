public import RoostModel

/// What a store claims to keep; it is held to the laws of its level and of those below.
public enum StorageLevel: Int, Sendable, Comparable, CaseIterable {
    /// Entries and clusters can be saved and fetched (`SimpleStorageProvider`).
    case simple
    /// Batches, revisions, snapshots and changes, while the process lives.
    case inMemory
    /// What was committed is there after the store was closed and opened again.
    case durable

    public static func < (left: StorageLevel, right: StorageLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Makes stores for the laws to try.
public protocol StorageFixture: Sendable {
    var level: StorageLevel { get }

    /// A handle on the fixture's store: empty at the first call; a further handle on the same store, as
    /// another process would have it, at each later one, where the level is durable.
    func open() async throws -> any StorageProvider

    /// Removes what is left on disk.
    func tearDown() async
}

/// A law that a store broke.
public struct LawViolation: Error, CustomStringConvertible {
    public let law: StorageLaw
    public let message: String
    public var description: String { "\(law.rawValue): \(message)" }
}
