public import RoostModel
import Synchronization

/// A store that injects faults into selected calls, to test how programs handle them.
///
///     let store = FaultyStorage(
///         InMemoryStorageProvider(), failing: .init([.commit], at: 3, with: .refusal(error)))
public struct FaultyStorage<Base: StorageProvider>: StorageDecorator {
    /// Describes which calls fail, and how they fail.
    public struct Plan: Sendable {
        /// The effect of a fault on a call.
        public enum Fault: Sendable {
            /// The call throws the error and does nothing.
            case refusal(any Error)
            /// The call does its work, but then throws the error, as if its answer had been lost.
            case lostAnswer(any Error)
            /// The call starts only after a delay.
            case delay(Duration)
        }

        let calls: Set<StorageCall>
        let first: Int
        let count: Int
        let fault: Fault

        /// Creates a plan.
        ///
        /// - Parameters:
        ///   - calls: The kinds of calls that are counted and that can fail.
        ///   - first: The number of the first counted call that fails. The numbers start at 1.
        ///   - count: The number of consecutive calls that fail.
        ///   - fault: The effect of the fault on each of these calls.
        /// - Precondition: `first` is at least 1.
        public init(_ calls: Set<StorageCall>, at first: Int = 1, count: Int = 1, with fault: Fault) {
            precondition(first >= 1, "calls are numbered from 1, not \(first)")
            (self.calls, self.first, self.count, self.fault) = (calls, first, count, fault)
        }
    }

    /// The wrapped store, including the injected faults.
    public let base: InterceptedStorage<Base, Faults>

    /// Creates a store that forwards its calls to another store and injects faults.
    public init(_ base: Base, failing plan: Plan) { self.base = InterceptedStorage(base, by: Faults(plan)) }

    /// The interceptor that carries out a plan.
    public final class Faults: StorageInterceptor {
        private let plan: Plan
        private let calls = Mutex(0)

        init(_ plan: Plan) { self.plan = plan }

        public func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            guard plan.calls.contains(call) else { return try await body() }
            let number = calls.withLock { count in
                count += 1
                return count
            }
            guard number >= plan.first, number - plan.first < plan.count else { return try await body() }
            switch plan.fault {
            case .refusal(let error): throw error
            case .lostAnswer(let error):
                _ = try await body()
                throw error
            case .delay(let duration):
                try await Task.sleep(for: duration)
                return try await body()
            }
        }
    }
}
