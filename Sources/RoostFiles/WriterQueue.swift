import Synchronization

/// Lets one task in at a time, in the order in which they come: the writers of one handle, so that a
/// thousand of them do not wait for a lock between processes with a thread each.
public final class WriterQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Runs `body` when it is its turn.
    ///
    /// - Parameter isStoppable: whether a task that was cancelled before its turn gives it up.
    /// - Throws: `CancellationError` where the task was cancelled before; what `body` throws.
    public func run<Value: Sendable>(
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
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.next < state.waiting.count else {
                state.isTaken = false
                state.waiting.removeAll()
                state.next = 0
                return nil
            }
            let next = state.waiting[state.next]
            state.next += 1
            if state.next >= 1000 {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return next
        }
        next?.resume()
    }
}
