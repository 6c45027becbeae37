import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A pool of threads that run jobs in the order of arrival. A thread exits when it has been idle for some
/// time.
final class ThreadPool: Sendable {
    private struct State {
        var jobs = Deque<@Sendable () -> Void>()
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

    /// Creates a pool that starts threads on demand.
    init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

    /// Adds a job, which is released as soon as it has run.
    func add(_ job: @escaping @Sendable () -> Void) {
        let hasIdleThread = state.withLock { state in
            state.jobs.append(job)
            // A thread that has been signaled still counts as idle until it runs, so `idle` is compared with
            // the number of all waiting jobs.
            if state.idle >= state.jobs.count { return true }
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
            let job = state.jobs.popFirst()
            if job == nil { state.idle += 1 }
            return job
        }
        if let first { return first }
        while true {
            let hasTimedOut = arrivals.wait(timeout: .now() + Self.idleTimeout) == .timedOut
            let (job, mustExit) = state.withLock { state in
                let job = state.jobs.popFirst()
                let mustExit = job == nil && hasTimedOut
                if job != nil || mustExit { state.idle -= 1 }
                if mustExit { state.threads -= 1 }
                return (job, mustExit)
            }
            if job != nil || mustExit { return job }
        }
    }
}
