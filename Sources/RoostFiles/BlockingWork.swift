import Foundation
import Synchronization

/// Runs blocking work (waiting for locks, fsync, decoding large files) on separate threads, so that the few
/// threads of Swift's cooperative pool stay available.
///
/// Threads are started on demand, up to a limit; further work waits in a queue.
package enum BlockingWork {
    /// Runs `body` on a separate thread and returns its result.
    ///
    /// - Parameter body: The work. It must not wait for other blocking work, because the number of threads is
    ///   limited. It receives a closure that returns whether the task was cancelled, and must call this
    ///   closure before its commit point.
    @concurrent
    package static func run<Value: Sendable>(
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

    /// Blocked threads use memory but no processor time, so the limit is far above the number of cores.
    private static let pool = ThreadPool(maximumThreads: 64)

    private final class CancellationFlag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}

/// A pool of threads that run jobs in the order of arrival. A thread exits when it has been idle for some
/// time.
private final class ThreadPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var next = 0
        var threads = 0
        var idle = 0
    }

    private let maximumThreads: Int
    // Protected by `condition` instead of a `Mutex`, with which a thread could not wait for a job.
    nonisolated(unsafe) private var state = State()
    private let condition = NSCondition()
    /// The number of seconds after which an idle thread exits.
    private static let idleTimeout: TimeInterval = 2
    /// The stack size of a thread in bytes. Decoders of nested JSON are recursive and need more than
    /// Foundation's default of 512 KiB.
    private static let stackSize = 4 << 20

    init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

    func add(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            state.jobs.append(job)
            // A thread that has been signaled still counts as idle until it runs, so `idle` is compared with
            // the number of all waiting jobs.
            if state.idle >= state.jobs.count - state.next {
                condition.signal()
            } else if state.threads < maximumThreads {
                state.threads += 1
                start()
            }
        }
    }

    private func start() {
        let thread = Thread { [self] in
            while let job = take() { job() }
        }
        thread.stackSize = Self.stackSize
        thread.name = "roost.blocking"
        thread.start()
    }

    /// Waits for the next job. Returns `nil` if the thread must exit.
    private func take() -> (@Sendable () -> Void)? {
        condition.withLock {
            let deadline = Date().addingTimeInterval(Self.idleTimeout)
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
