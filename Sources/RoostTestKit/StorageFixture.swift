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
    /// The method returns when the process has ended, and throws if the job failed: if the process ended
    /// with a status other than 0 or, except for `saveAndDie`, by a signal. Otherwise a law would report
    /// the work of a failed process as lost. The default implementation throws `.unsupported`.
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
