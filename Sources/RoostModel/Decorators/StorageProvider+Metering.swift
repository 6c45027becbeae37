import Synchronization

/// Counts and times the calls to storage providers. One meter can measure several providers.
public final class StorageMeter: Sendable {
    /// The measurements for one kind of call.
    public struct Measurement: Sendable, Hashable {
        /// The number of completed calls, including those that failed.
        public var count = 0
        /// The number of calls that threw an error.
        public var failures = 0
        /// The total duration of the calls.
        public var total = Duration.zero
        /// The duration of the slowest call.
        public var maximum = Duration.zero

        /// Creates an empty measurement.
        public init() {}
    }

    /// The meter that ``StorageProvider/metered(by:)`` uses by default.
    public static let shared = StorageMeter()

    private let state = Mutex<[StorageCall: Measurement]>([:])

    /// Creates a meter without measurements.
    public init() {}

    /// The measurements since the last reset. Kinds of calls that were not made are absent.
    public var measurements: [StorageCall: Measurement] { state.withLock { $0 } }

    /// Deletes all measurements.
    public func reset() { state.withLock { $0 = [:] } }

    fileprivate func add(_ call: StorageCall, _ duration: Duration, failed: Bool) {
        state.withLock { measurements in
            var measurement = measurements[call] ?? Measurement()
            measurement.count += 1
            measurement.failures += failed ? 1 : 0
            measurement.total += duration
            measurement.maximum = max(measurement.maximum, duration)
            measurements[call] = measurement
        }
    }
}

extension StorageProvider {
    /// Returns a provider that counts and times the calls to this provider and to its snapshots.
    ///
    /// - Parameter meter: Receives the measurements.
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
