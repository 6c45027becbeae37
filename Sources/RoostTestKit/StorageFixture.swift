import RoostFiles
public import RoostModel

/// Opens handles to one store, so that the laws can be checked with it.
public protocol StorageFixture: Sendable {
    /// The highest level whose laws the store must obey.
    var level: StorageLevel { get }

    /// Opens a handle to the fixture's store.
    ///
    /// The first call creates an empty store. From the level ``StorageLevel/durable`` on, later calls open
    /// additional handles to the same store. Each handle is independent of the others, as if a different
    /// process had opened it.
    func open() async throws -> any StorageProvider

    /// Abandons a handle without closing it, like a process that is killed. This method is called only from
    /// the level ``StorageLevel/durable`` on.
    ///
    /// The default implementation does nothing, which is correct if an abandoned handle holds no locks.
    func crash(_ store: any StorageProvider) async throws

    /// Runs a job in another process, which opens the same store, calls ``StorageJob/run(on:)`` and exits.
    /// This method is called only from the level ``StorageLevel/severalProcesses`` on.
    ///
    /// The method returns when the process has ended, and throws if it ended with a status other than 0 or, except
    /// for `saveAndDie`, by a signal. The default implementation throws `.unsupported`.
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

/// The guarantees that a store claims to give. A store must obey the laws of its level and of all lower
/// levels.
public enum StorageLevel: Sendable, Comparable, CaseIterable {
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
}

/// An error that reports that an implementation violates a law.
public struct LawViolation: Error, Sendable, CustomStringConvertible {
    /// A description of the observed behavior and of the expected behavior.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a violation unless a condition is true.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw LawViolation(message()) }
}

/// Returns the error that the body throws, and throws a violation if it throws no error of this type.
@discardableResult
func requireError<Failure: Error>(
    _ subject: String, as type: Failure.Type = (any Error).self, _ body: () async throws -> Void
) async throws -> Failure {
    do {
        try await body()
    } catch let error as Failure {
        return error
    } catch {
        throw LawViolation("\(subject): threw \(error), which is no \(type)")
    }
    throw LawViolation("\(subject): did not throw")
}

/// Runs a body in concurrent tasks with the numbers from 0, and returns the results in their order. The first error
/// ends the other tasks.
@discardableResult
func concurrently<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await Array(0..<count).concurrentMap(limit: count, body)
}
