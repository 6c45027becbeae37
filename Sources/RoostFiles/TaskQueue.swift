import Synchronization

/// Runs one task at a time, in the order of arrival.
///
/// For example, the writers of one handle pass through a queue before they take the interprocess lock. Thus,
/// while many writers wait, at most one of them blocks a thread.
package final class TaskQueue: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0
    }

    private let state = Mutex(State())
    /// The number of resumed tasks at the front of `waiting` that are removed at once. Removing them in
    /// batches makes dequeuing O(1) on average.
    private static let compactionInterval = 1000

    package init() {}

    /// Waits until no other task runs, then runs `body`.
    ///
    /// - Parameter isStoppable: Whether to throw instead of running `body` if the task was canceled while it
    ///   waited.
    /// - Throws: `CancellationError`, and the errors of `body`.
    package func run<Value: Sendable>(
        isStoppable: Bool = true, _ body: () async throws -> Value
    ) async throws -> Value {
        await enter()
        defer { leave() }
        if isStoppable { try Task.checkCancellation() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isBusy {
                    state.waiting.append(continuation)
                    return false
                }
                state.isBusy = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.next < state.waiting.count else {
                state.isBusy = false
                state.waiting.removeAll()
                state.next = 0
                return nil
            }
            let next = state.waiting[state.next]
            state.next += 1
            if state.next >= Self.compactionInterval {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return next
        }
        next?.resume()
    }
}
