public import RoostModel
import Synchronization

/// A store that injects faults into selected calls, to test how programs handle them.
///
///     let store = FaultyStorage(InMemoryStorageProvider()) { call, number in
///         call == .commit && number == 3 ? .refusal(error) : nil
///     }
public struct FaultyStorage<Base: StorageProvider>: StorageDecorator {
    /// The effect of a fault on a call.
    public enum Fault: Sendable {
        /// The call throws the error and does nothing.
        case refusal(any Error)
        /// The call does its work, but then throws the error, as if its answer had been lost.
        case lostAnswer(any Error)
    }

    /// The wrapped store, including the injected faults.
    public let base: InterceptedStorage<Base, Faults>

    /// Creates a store that forwards its calls to another store and injects faults.
    ///
    /// - Parameter fault: Returns the fault of a call, whose number counts the calls of its kind from 1; `nil` for a
    ///   call without a fault.
    public init(_ base: Base, fault: @escaping @Sendable (_ call: StorageCall, _ number: Int) -> Fault?) {
        self.base = InterceptedStorage(base, by: Faults(fault))
    }

    /// The interceptor that injects the faults.
    public final class Faults: StorageInterceptor {
        private let fault: @Sendable (StorageCall, Int) -> Fault?
        private let counts = Mutex<[StorageCall: Int]>([:])

        init(_ fault: @escaping @Sendable (StorageCall, Int) -> Fault?) { self.fault = fault }

        public func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            let number = counts.withLock { counts in
                counts[call, default: 0] += 1
                return counts[call, default: 0]
            }
            switch fault(call, number) {
            case .refusal(let error): throw error
            case .lostAnswer(let error):
                _ = try await body()
                throw error
            case nil: return try await body()
            }
        }
    }
}
