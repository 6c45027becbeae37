import Foundation
import Synchronization

/// A value that another thread computes, unless it is needed before one is free.
final class Precomputed<Value: Sendable>: Sendable {
    private enum State {
        case waiting(@Sendable () throws -> Value)
        case computing
        case computed(Result<Value, any Error>)
    }

    private let state: Mutex<State>
    private let isComputed = DispatchSemaphore(value: 0)

    /// Begins to compute a value as soon as a thread is free.
    init(_ compute: @escaping @Sendable () throws -> Value) {
        state = Mutex(.waiting(compute))
        DispatchQueue.global().async { [self] in run() }
    }

    /// Returns the value. The caller computes it if no other thread has begun to, so that it never waits for
    /// other work of the process.
    func value() throws -> Value {
        run()
        isComputed.wait()
        isComputed.signal()  // for the next call
        guard case .computed(let result) = state.withLock({ $0 }) else {
            preconditionFailure("the semaphore is signaled after the value was computed")
        }
        return try result.get()
    }

    private func run() {
        let compute = state.withLock { state in
            guard case .waiting(let compute) = state else { return nil as (@Sendable () throws -> Value)? }
            state = .computing
            return compute
        }
        guard let compute else { return }
        let result = Result { try compute() }
        state.withLock { $0 = .computed(result) }
        isComputed.signal()
    }
}
