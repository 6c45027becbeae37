public import RoostModel

/// What a store claims to keep; it is held to the laws of its level and of those below.
public enum StorageLevel: Int, Sendable, Comparable, CaseIterable {
    /// Entries and clusters can be saved and fetched (`SimpleStorageProvider`).
    case simple
    /// Batches, revisions, snapshots and changes, while the process lives.
    case inMemory
    /// What was committed is there after the store was closed, or left without being closed, and opened
    /// again; several handles of one process may use it.
    case durable
    /// Several processes may use it at once, and one that is killed takes nothing with it.
    case severalProcesses

    public static func < (left: StorageLevel, right: StorageLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Makes stores for the laws to try.
public protocol StorageFixture: Sendable {
    var level: StorageLevel { get }

    /// A handle on the fixture's store: empty at the first call; a further handle on the same store, as
    /// another process would have it, at each later one, where the level is durable.
    func open() async throws -> any StorageProvider

    /// Lets go of a handle as a process that dies does, without closing it. Asked for where the level is
    /// durable; nothing has to be done where a handle that is forgotten holds nothing.
    func crash(_ store: any StorageProvider) async throws

    /// Does a job in another process: one that opens the same store, calls ``StorageJob/run(on:)`` and ends.
    /// Asked for from ``StorageLevel/severalProcesses`` on.
    ///
    /// - Returns: when that process has ended, however it ended.
    func run(_ job: StorageJob) async throws

    /// Removes what is left on disk.
    func tearDown() async
}

extension StorageFixture {
    public func crash(_ store: any StorageProvider) async throws {}

    public func run(_ job: StorageJob) async throws {
        throw StorageError(.unsupported, "this fixture has no way to start another process")
    }
}

/// A law that a store broke.
public struct LawViolation: Error, CustomStringConvertible {
    public let law: StorageLaw
    public let message: String
    public var description: String { "\(law.rawValue): \(message)" }
}
