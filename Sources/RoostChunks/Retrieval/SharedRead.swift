import Synchronization

/// The result of a read that several tasks wait for. A canceled task stops waiting at once; the others, and
/// the read itself, continue.
final class SharedRead<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Returns the result as soon as the read has finished.
    ///
    /// - Throws: The error of the read, or `CancellationError`.
    func value() async throws -> Value {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, as: number) }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ continuation: CheckedContinuation<Value, any Error>, as number: Int) {
        let result: Result<Value, any Error>? = state.withLock { state in
            // The handler may have run before this task began to wait, and does not run again.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.result == nil { state.waiting[number] = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    /// Ends the waiting of all tasks.
    func finish(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.result = result
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}
