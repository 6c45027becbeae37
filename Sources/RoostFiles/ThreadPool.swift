import DequeModule
import Dispatch
import Foundation
import Synchronization

/// Runs blocking work (waiting for locks, fsync, decoding large files) on separate threads, so that the few
/// threads of Swift's cooperative pool stay available.
///
/// Threads are started on demand, up to a limit; further work waits in a queue.
package enum BlockingWork {
    /// - Parameter body: The work. It must not wait for other blocking work, because the number of threads is
    ///   limited. It receives a closure that returns whether the task was canceled, and must call this
    ///   closure before its commit point.
    @concurrent
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let cancelled = ConcurrentFlag()
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
}

/// A Boolean value that concurrent tasks can set and read.
package final class ConcurrentFlag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }

    package func set() { value.store(true, ordering: .releasing) }
}

/// Runs long computations, such as a clustering run, on separate threads, so that the few threads of Swift's
/// cooperative pool stay available. On a computer with two cores, the pool has two threads, and two
/// computations that do not suspend would stop all other tasks of the process.
package enum Computation {
    /// Runs `body`, and the nonisolated functions and child tasks that it calls, on separate threads.
    @concurrent
    package static func run<Value: Sendable>(
        // A closure without `@concurrent` would begin on the thread of the caller.
        _ body: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(Executor.shared) { try await body() }
    }

    private final class Executor: TaskExecutor {
        static let shared = Executor()

        /// More threads than cores do not compute faster, but with a few more, short computations need not
        /// wait until long ones suspend.
        private let pool = ThreadPool(maximumThreads: ProcessInfo.processInfo.activeProcessorCount + 4)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            pool.add { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

/// A pool of threads that run jobs in the order of arrival. The threads stay until the process ends.
final class ThreadPool: Sendable {
    private struct State {
        var jobs = Deque<@Sendable () -> Void>()
        var threads = 0
        var idle = 0
    }

    private let maximumThreads: Int
    private let state = Mutex(State())
    /// Signaled once for each job.
    private let arrivals = DispatchSemaphore(value: 0)
    /// The stack size of a thread in bytes. Decoders of nested JSON are recursive and need more than
    /// Foundation's default of 512 KiB.
    private static let stackSize = 4 << 20

    init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

    func add(_ job: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.jobs.append(job)
            // A thread counts as idle until it has taken a job, so `idle` is compared with the number of all
            // waiting jobs.
            guard state.idle < state.jobs.count, state.threads < maximumThreads else { return }
            state.threads += 1
            state.idle += 1
            start()
        }
        arrivals.signal()
    }

    private func start() {
        let thread = Thread { [self] in
            while true {
                arrivals.wait()
                let job = state.withLock { state in
                    state.idle -= 1
                    return state.jobs.removeFirst()
                }
                job()
                state.withLock { $0.idle += 1 }
            }
        }
        thread.stackSize = Self.stackSize
        thread.name = "roost.blocking"
        thread.start()
    }
}

extension Array where Element: Sendable {
    /// Transforms the elements in at most `limit` concurrent tasks, and returns the results in their order.
    package func concurrentMap<Value: Sendable>(
        limit: Int, _ transform: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            var next = 0
            func addNext() {
                guard next < count else { return }
                let (index, element) = (next, self[next])
                next += 1
                group.addTask { (index, try await transform(element)) }
            }
            for _ in 0..<Swift.min(limit, count) { addNext() }
            while let (index, value) = try await group.next() {
                values[index] = .some(value)
                addNext()
            }
            return values.compactMap { $0 }
        }
    }
}

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
    /// - Throws: `CancellationError` if the task is canceled while it waits; the errors of `body`.
    package func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let number = state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, as: number) }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
        defer { leave() }
        // The task may have been canceled just after its turn came.
        try Task.checkCancellation()
        return try await body()
    }

    private func wait(_ continuation: CheckedContinuation<Void, any Error>, as number: Int) {
        let result: Result<Void, any Error>? = state.withLock { state in
            // The handler may have run before this task began to wait, and does not run again.
            if Task.isCancelled { return .failure(CancellationError()) }
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
