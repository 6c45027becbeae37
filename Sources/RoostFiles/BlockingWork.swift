import Foundation
import Synchronization

/// Runs work that blocks (locks, fsync, decoding of large files) on threads of its own, so that the few
/// threads of Swift's pool stay free.
///
/// Threads are started as they are needed, up to a bound; what comes beyond it waits its turn.
public enum BlockingWork {
    /// Runs `body` and returns what it returns.
    ///
    /// - Parameter body: asks `isCancelled` before its point of no return; the task's cancellation shows
    ///   there. It must not wait for other blocking work.
    @concurrent
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let cancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pool.add { continuation.resume(with: Result { try body { cancelled.isSet } }) }
            }
        } onCancel: {
            cancelled.set()
        }
    }

    private static let pool = ThreadPool(limit: 64)

    private final class CancellationFlag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}

/// Threads that take jobs in the order in which they come, and end when there has been none for a while.
private final class ThreadPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var next = 0
        var threads = 0
        var idle = 0
    }

    private let limit: Int
    // `NSCondition` guards it: a thread must be able to wait for a job.
    nonisolated(unsafe) private var state = State()
    private let condition = NSCondition()
    private static let patience: TimeInterval = 2

    init(limit: Int) { self.limit = limit }

    func add(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            state.jobs.append(job)
            // A thread that was woken counts as idle until it runs.
            if state.idle >= state.jobs.count - state.next {
                condition.signal()
            } else if state.threads < limit {
                state.threads += 1
                start()
            }
        }
    }

    private func start() {
        let thread = Thread { [self] in
            while let job = take() { job() }
        }
        thread.stackSize = 4 << 20
        thread.name = "roost.blocking"
        thread.start()
    }

    /// The next job; `nil` where the thread is to end.
    private func take() -> (@Sendable () -> Void)? {
        condition.withLock {
            let deadline = Date().addingTimeInterval(Self.patience)
            while state.next == state.jobs.count {
                state.idle += 1
                let isSignalled = condition.wait(until: deadline)
                state.idle -= 1
                if !isSignalled, state.next == state.jobs.count {
                    state.threads -= 1
                    return nil
                }
            }
            let job = state.jobs[state.next]
            state.next += 1
            if state.next == state.jobs.count {
                state.jobs.removeAll(keepingCapacity: true)
                state.next = 0
            }
            return job
        }
    }
}
