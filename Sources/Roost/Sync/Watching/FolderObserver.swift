import Synchronization

protocol FolderObserver: Sendable {
    /// The reason why some folders are not observed; `nil` if all are.
    var failure: String? { get }

    /// Begins to observe the files and folders in a folder, without those in its subfolders.
    func observe(_ folder: String)

    func waitForChange(timeout: Duration) async throws -> Bool
}

/// An observer that reports at regular intervals that anything may have changed.
final class PollingObserver: FolderObserver {
    private let interval: Duration
    private let last = Mutex(ContinuousClock.now)

    let failure: String? = nil

    init(interval: Duration) { self.interval = interval }

    func observe(_ folder: String) {}

    func waitForChange(timeout: Duration) async throws -> Bool {
        let due = last.withLock { $0 } + interval
        let now = ContinuousClock.now
        guard due <= now + timeout else {
            try await Task.sleep(for: timeout)
            return false
        }
        if due > now { try await Task.sleep(until: due) }
        last.withLock { $0 = .now }
        return true
    }
}
