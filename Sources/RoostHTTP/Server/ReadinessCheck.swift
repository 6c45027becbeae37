import Roost
import RoostMCP
import RoostModel
import Synchronization

/// The check whether the store of a server can be read.
///
/// Probes need no token, and reading can block a thread for longer than the time of the check. Simultaneous
/// probes share one check, so that they cannot start any number of them.
final class ReadinessCheck: Sendable {
    /// The default for the maximum time. Probes usually wait for one to ten seconds, and the storage itself
    /// waits longer for a server that restarts.
    private static let standardTime = Duration.seconds(2)

    private let time: Duration
    /// The check that runs.
    private let current = Mutex<Task<Void, any Error>?>(nil)

    /// Creates a check.
    ///
    /// - Parameter time: The maximum time for reading the store.
    init(within time: Duration = standardTime) { self.time = time }

    /// Reads the state of the store.
    ///
    /// - Throws: `Deadline.Exceeded` if the time is over; the errors of opening and reading the store.
    func run(_ handle: StoreHandle) async throws {
        let task = current.withLock { current in
            if let current { return current }
            let task = Task {
                defer { self.current.withLock { $0 = nil } }
                try await Deadline.runAbandoning(within: time) {
                    try await handle.use { store in _ = try await store.storage.snapshot() }
                }
            }
            current = task
            return task
        }
        try await task.value
    }
}
