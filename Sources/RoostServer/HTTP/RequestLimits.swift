import NIOCore
import NIOPosix
import Synchronization

/// A limit on the number of operations that run at the same time.
final class Admission: Sendable {
    /// The permission to run one operation, which ends when the object is released.
    final class Permit: Sendable {
        private let admission: Admission

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { admission.running.withLock { $0 -= 1 } }
    }

    private let maximum: Int
    private let running = Mutex(0)

    init(maximum: Int) { self.maximum = maximum }

    /// Returns a permit; `nil` if the maximum is reached.
    func permit() -> Permit? {
        let isAllowed = running.withLock { running in
            guard running < maximum else { return false }
            running += 1
            return true
        }
        return isAllowed ? Permit(self) : nil
    }
}

/// A limit on the duration of an operation.
enum Deadline {
    /// The error of an operation that took too long.
    struct Exceeded: Error {}

    private final class State: Sendable {
        let isExceeded = Mutex(false)
    }

    /// Runs an operation, and cancels it if it takes too long.
    ///
    /// The time is measured by an event loop, which forgets a canceled timer at once. A canceled `Task.sleep`
    /// would keep its memory until the end of its time, which adds up with thousands of requests per second.
    /// - Throws: ``Exceeded`` if the time is over; any error of the operation.
    static func run<Result: Sendable>(
        within time: Duration, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let state = State()
        let task = Task { try await operation() }
        let timer = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: TimeAmount(time)) {
            state.isExceeded.withLock { $0 = true }
            task.cancel()
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        // A canceled operation can also return an incomplete result.
        if state.isExceeded.withLock(\.self) { throw Exceeded() }
        return try outcome.get()
    }
}
