import Foundation
import Synchronization

/// A value that another thread computes.
final class Precomputed<Value: Sendable>: Sendable {
    /// The result; an error that is never returned until there is one.
    private let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))
    private let isComputed = DispatchGroup()

    /// Begins to compute the value.
    init(_ compute: @escaping @Sendable () throws -> Value) {
        DispatchQueue.global().async(group: isComputed) { [self] in
            let computed = Result { try compute() }
            result.withLock { $0 = computed }
        }
    }

    /// Waits until the value is computed.
    func value() throws -> Value {
        isComputed.wait()
        return try result.withLock { $0 }.get()
    }
}
