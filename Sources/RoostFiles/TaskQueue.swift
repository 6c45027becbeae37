import DequeModule
import Synchronization

/// Runs one task at a time, in the order of arrival.
///
/// For example, the writers of one handle pass through a queue before they take the interprocess lock. Thus,
/// while many writers wait, at most one of them blocks a thread.
package final class TaskQueue: Sendable {
    private struct State {
        var isBusy = false
        /// The numbers of the tasks that wait, in the order of arrival, and of those that were canceled
        /// meanwhile.
        var order = Deque<Int>()
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var arrivals = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits until no other task runs, then runs `body`.
    ///
    /// - Parameter isStoppable: Whether to stop waiting, and not to run `body`, if the task is canceled.
    package func run<Value: Sendable>(
        isStoppable: Bool = true, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(isStoppable)
        defer { leave() }
        // The task may have been canceled just after its turn came.
        if isStoppable { try Task.checkCancellation() }
        return try await body()
    }

    private func enter(_ isStoppable: Bool) async throws {
        let number = state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, as: number, isStoppable) }
        } onCancel: {
            guard isStoppable else { return }
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    private func wait(
        _ continuation: CheckedContinuation<Void, any Error>, as number: Int, _ isStoppable: Bool
    ) {
        let result: Result<Void, any Error>? = state.withLock { state in
            // The handler may have run before this task began to wait, and does not run again.
            if isStoppable, Task.isCancelled { return .failure(CancellationError()) }
            guard state.isBusy else {
                state.isBusy = true
                return .success(())
            }
            state.order.append(number)
            state.waiting[number] = continuation
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func leave() {
        let next: CheckedContinuation<Void, any Error>? = state.withLock { state in
            while let number = state.order.popFirst() {
                if let continuation = state.waiting.removeValue(forKey: number) { return continuation }
            }
            state.isBusy = false
            return nil
        }
        next?.resume()
    }
}
