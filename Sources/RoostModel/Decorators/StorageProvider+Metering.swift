import Synchronization

/// What calls of a storage provider have cost so far. One meter may measure several providers.
public final class StorageMeter: Sendable {
    /// Of one kind of call.
    public struct Measurement: Sendable, Hashable {
        /// How many calls have ended.
        public var count = 0
        /// How many of them threw.
        public var failures = 0
        /// The time of all of them together.
        public var total = Duration.zero
        /// The longest.
        public var longest = Duration.zero

        public init() {}
    }

    /// The meter that is used where none is given.
    public static let shared = StorageMeter()

    private let state = Mutex<[StorageCall: Measurement]>([:])

    public init() {}

    /// What was measured, by the kind of call; kinds that were never called are not there.
    public var measurements: [StorageCall: Measurement] { state.withLock { $0 } }

    /// Begins anew.
    public func reset() { state.withLock { $0 = [:] } }

    fileprivate func add(_ call: StorageCall, _ duration: Duration, failed: Bool) {
        state.withLock { measurements in
            var measurement = measurements[call] ?? Measurement()
            measurement.count += 1
            measurement.failures += failed ? 1 : 0
            measurement.total += duration
            measurement.longest = max(measurement.longest, duration)
            measurements[call] = measurement
        }
    }
}

extension StorageProvider {
    /// Counts calls, of the store and of its snapshots, and how long they take.
    public func metered(by meter: StorageMeter = .shared) -> some StorageProvider {
        InterceptedStorage(self, by: Metering(meter: meter))
    }
}

private struct Metering: StorageInterceptor {
    let meter: StorageMeter

    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        do {
            let value = try await body()
            meter.add(call, ContinuousClock.now - start, failed: false)
            return value
        } catch {
            meter.add(call, ContinuousClock.now - start, failed: true)
            throw error
        }
    }
}
