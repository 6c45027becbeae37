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
    /// The preparation of the store, for which checks wait.
    private let preparation = Mutex<Task<Void, Never>?>(nil)

    /// Creates a check.
    ///
    /// - Parameter time: The maximum time for reading the store.
    init(within time: Duration = standardTime) { self.time = time }

    /// Begins to open the readers and the index of the store, so that the first requests need not wait for
    /// them. A failure is ignored, because the requests report it.
    func prepare(_ handle: StoreHandle) {
        let task = Task {
            _ = try? await handle.use { store in
                let snapshot = try await store.storage.snapshot()
                guard
                    let entry = try await snapshot.entries(after: nil, limit: 1, matching: .all).entries.first
                else { return }
                // A search for a stored entry needs no embedding, which can cost money at a remote service.
                _ = try await store.search(EntrySearch(.entries([entry.id]), limit: 1))
            }
        }
        preparation.withLock { $0 = task }
    }

    /// Cancels the preparation. It may still wait for a storage that does not answer.
    func stop() { preparation.withLock(\.self)?.cancel() }

    /// Reads the state of the store, after it has been prepared.
    ///
    /// - Throws: `Deadline.Exceeded` if the time is over; the errors of opening and reading the store.
    func run(_ handle: StoreHandle) async throws {
        let task = current.withLock { current in
            if let current { return current }
            let task = Task {
                defer { self.current.withLock { $0 = nil } }
                let preparation = self.preparation.withLock(\.self)
                try await Deadline.runAbandoning(within: time) {
                    await preparation?.value
                    try await handle.use { store in _ = try await store.storage.snapshot() }
                }
            }
            current = task
            return task
        }
        try await task.value
    }
}
