import Dispatch
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
    ///   limited. It receives a closure that returns whether the task was canceled, and must call this
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
    private let state = Mutex(State())
    /// Signaled when a job arrives for an idle thread. A thread that finds no job waits again, so surplus
    /// signals are harmless. The timeout is measured by a monotonic clock: `NSCondition` computes a date
    /// from the time of day, which traps if the system's clock is set to an extreme date.
    private let arrivals = DispatchSemaphore(value: 0)
    /// The time after which an idle thread exits.
    private static let idleTimeout = DispatchTimeInterval.seconds(2)
    /// The stack size of a thread in bytes. Decoders of nested JSON are recursive and need more than
    /// Foundation's default of 512 KiB.
    private static let stackSize = 4 << 20

    init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

    func add(_ job: @escaping @Sendable () -> Void) {
        let hasIdleThread = state.withLock { state in
            state.jobs.append(job)
            // A thread that has been signaled still counts as idle until it runs, so `idle` is compared with
            // the number of all waiting jobs.
            if state.idle >= state.jobs.count - state.next { return true }
            if state.threads < maximumThreads {
                state.threads += 1
                start()
            }
            return false
        }
        if hasIdleThread { arrivals.signal() }
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
        let first = state.withLock { state in
            let job = Self.next(&state)
            if job == nil { state.idle += 1 }
            return job
        }
        if let first { return first }
        while true {
            let hasTimedOut = arrivals.wait(timeout: .now() + Self.idleTimeout) == .timedOut
            let (job, mustExit) = state.withLock { state in
                let job = Self.next(&state)
                let mustExit = job == nil && hasTimedOut
                if job != nil || mustExit { state.idle -= 1 }
                if mustExit { state.threads -= 1 }
                return (job, mustExit)
            }
            if job != nil || mustExit { return job }
        }
    }

    private static func next(_ state: inout State) -> (@Sendable () -> Void)? {
        guard state.next < state.jobs.count else { return nil }
        let job = state.jobs[state.next]
        state.next += 1
        if state.next == state.jobs.count {
            state.jobs.removeAll(keepingCapacity: true)
            state.next = 0
        }
        return job
    }
}
