import Foundation
import Synchronization

/// Runs work that blocks (locks, fsync, decoding of large files) on a thread of its own, so that the few
/// threads of Swift's pool stay free.
public enum BlockingWork {
    /// Runs `body` and returns what it returns.
    ///
    /// - Parameter body: asks `isCancelled` before its point of no return; the task's cancellation shows
    ///   there.
    @concurrent
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let cancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    continuation.resume(with: Result { try body { cancelled.isSet } })
                }
                thread.stackSize = 4 << 20
                thread.name = "roost.blocking"
                thread.start()
            }
        } onCancel: {
            cancelled.set()
        }
    }

    private final class CancellationFlag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
