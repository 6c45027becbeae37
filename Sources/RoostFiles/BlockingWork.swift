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
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
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
