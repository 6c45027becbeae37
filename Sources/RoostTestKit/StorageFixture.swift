public import RoostModel

/// The guarantees that a store claims to give. Its tests check the laws of its level and of those below.
public enum StorageLevel: Int, Sendable, Comparable, CaseIterable {
    /// Entries and clusters can be saved and fetched (`SimpleStorageProvider`).
    case simple
    /// Batches, revisions, snapshots and the change feed work as long as the process lives.
    case inMemory
    /// Committed data is stored permanently, whether the store was closed or not, and several handles of one
    /// process can use the store.
    case durable
    /// Several processes can use the store at the same time, and killing one of them loses no committed data.
    case severalProcesses

    public static func < (left: StorageLevel, right: StorageLevel) -> Bool { left.rawValue < right.rawValue }
}

/// A factory of handles to one store, on which the laws are checked.
public protocol StorageFixture: Sendable {
    /// The level whose laws are checked.
    var level: StorageLevel { get }

    /// Opens a handle to the fixture's store.
    ///
    /// The first call creates an empty store. From ``StorageLevel/durable`` on, later calls open further
    /// handles to the same store, independent of the first one as if another process had opened them.
    func open() async throws -> any StorageProvider

    /// Abandons a handle without closing it, as a process does that dies. Called from
    /// ``StorageLevel/durable`` on.
    ///
    /// The default does nothing, which is correct if an abandoned handle holds no locks.
    func crash(_ store: any StorageProvider) async throws

    /// Runs a job in another process, which opens the same store, calls ``StorageJob/run(on:)`` and exits.
    /// Called from ``StorageLevel/severalProcesses`` on.
    ///
    /// The call returns when the process has ended, whatever its exit status is. The default throws
    /// `.unsupported`.
    func run(_ job: StorageJob) async throws

    /// Removes the files of the store.
    func tearDown() async
}

extension StorageFixture {
    public func crash(_ store: any StorageProvider) async throws {}

    public func run(_ job: StorageJob) async throws {
        throw StorageError(
            .unsupported, "cannot run a job in another process: the fixture does not implement run(_:)")
    }
}

/// The violation of a law by a store.
public struct LawViolation: Error, CustomStringConvertible {
    /// The violated law.
    public let law: StorageLaw
    /// A description of the observed and the expected behaviour of the store.
    public let message: String
    public var description: String { "\(law.rawValue): \(message)" }
}
