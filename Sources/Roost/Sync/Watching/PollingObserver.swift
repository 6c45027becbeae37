import Synchronization

/// An observer that reports at regular intervals that anything may have changed.
final class PollingObserver: FolderObserver {
    private let interval: Duration
    private let last = Mutex(ContinuousClock.now)

    let failure: String? = nil

    init(interval: Duration) { self.interval = interval }

    func observe(_ folder: String) {}

    func changes(timeout: Duration) async throws -> FolderChanges {
        let due = last.withLock { $0 } + interval
        let now = ContinuousClock.now
        guard due <= now + timeout else {
            try await Task.sleep(for: timeout)
            return FolderChanges()
        }
        if due > now { try await Task.sleep(until: due) }
        last.withLock { $0 = .now }
        return FolderChanges(isIncomplete: true)
    }
}
