import Synchronization

/// Runs one task at a time, in the order of arrival.
///
/// For example, the writers of one handle pass through a queue before they take the interprocess lock. Thus,
/// while many writers wait, at most one of them blocks a thread.
package final class TaskQueue: Sendable {
    private struct State {
        var isBusy = false
        var waiting = FIFOQueue<CheckedContinuation<Void, Never>>()
    }

    private let state = Mutex(State())

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
            let next = state.waiting.popFirst()
            if next == nil { state.isBusy = false }
            return next
        }
        next?.resume()
    }
}
