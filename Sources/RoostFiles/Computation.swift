import Foundation

/// Runs long computations, such as a clustering run, on separate threads, so that the few threads of Swift's
/// cooperative pool stay available. On a computer with two cores, the pool has two threads, and two
/// computations that do not suspend would stop all other tasks of the process.
package enum Computation {
    /// Runs `body`, and the nonisolated functions and child tasks that it calls, on separate threads.
    ///
    /// - Throws: The errors of `body`.
    @concurrent
    package static func run<Value: Sendable>(
        // A closure without `@concurrent` would begin on the thread of the caller.
        _ body: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(Executor.shared) { try await body() }
    }

    /// Runs the parts of a task between its suspensions as jobs of a thread pool.
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
