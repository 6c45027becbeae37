import Synchronization

/// Runs one task at a time, in the order of arrival.
///
/// The writers of one handle pass through this queue before they take the lock between processes, so that a
/// thousand of them do not block a thread each.
package final class WriterQueue: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0
    }

    private let state = Mutex(State())
    /// The front of `waiting` is released after this many resumed tasks, which keeps dequeuing O(1)
    /// amortised.
    private static let compactionInterval = 1000

    package init() {}

    /// Waits until no other task runs, then runs `body`.
    ///
    /// - Parameter isStoppable: Whether a task that is cancelled while it waits throws instead of running
    ///   `body`.
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
