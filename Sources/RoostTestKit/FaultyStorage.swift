public import RoostModel
import Synchronization

/// A store that fails at the call that it is told to, in the way that it is told to: to try what programs do
/// about it.
///
///     let store = FaultyStorage(
///         InMemoryStorageProvider(), failing: .init([.commit], at: 3, with: .refusal(error)))
public struct FaultyStorage<Base: StorageProvider>: StorageDecorator {
    /// Where to fail and how.
    public struct Plan: Sendable {
        /// What happens instead of a call.
        public enum Fault: Sendable {
            /// The call throws and does nothing.
            case refusal(any Error)
            /// The call does all that it should, and throws: an answer that was lost.
            case lostAnswer(any Error)
            /// The call takes this much longer.
            case delay(Duration)
        }

        /// The kinds of call that count.
        public var calls: Set<StorageCall>
        /// The first of these calls that fails, from 1.
        public var first: Int
        /// How many fail from there on.
        public var count: Int
        public var fault: Fault

        public init(_ calls: Set<StorageCall>, at first: Int = 1, count: Int = 1, with fault: Fault) {
            precondition(first >= 1, "the first call is number 1, not \(first)")
            self.calls = calls
            self.first = first
            self.count = count
            self.fault = fault
        }
    }

    private let intercepted: InterceptedStorage<Base, Faults>

    public init(_ base: Base, failing plan: Plan) {
        intercepted = InterceptedStorage(base, by: Faults(plan))
    }

    public var base: InterceptedStorage<Base, Faults> { intercepted }

    /// How many of the plan's calls there have been.
    public var callCount: Int { intercepted.interceptor.count }

    /// Carries a plan out.
    public final class Faults: StorageInterceptor {
        private let plan: Plan
        private let calls = Mutex(0)

        init(_ plan: Plan) { self.plan = plan }

        var count: Int { calls.withLock { $0 } }

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
