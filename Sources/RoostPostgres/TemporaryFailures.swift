import Foundation

/// The policy for repeating calls that failed because a connection broke or because the server ended a
/// transaction.
struct TemporaryFailures {
    private let deadline: ContinuousClock.Instant

    /// The pause before the second attempt, in seconds. It doubles with every attempt.
    private static let firstPause = 0.01
    private static let maximumPause = 1.0

    /// Creates a policy that begins now.
    ///
    /// - Parameter duration: The time for which calls are repeated.
    init(for duration: Duration) { deadline = ContinuousClock.now + duration }

    /// Runs `body`, and runs it again after temporary failures until the time is used up.
    ///
    /// - Parameter isCancelled: Returns whether to end a pause with `CancellationError`.
    func repeating<Value>(isCancelled: () -> Bool, _ body: () throws -> Value) throws -> Value {
        var pause = Self.firstPause
        while true {
            do {
                return try body()
            } catch let error as ConnectionError where error.isTemporary {
                if case .timedOut = error { throw error }
                // The pause is random, so that clients do not return at the same time.
                let end = ContinuousClock.now + .seconds(pause * Double.random(in: 0.5...1))
                guard end < deadline else { throw error }
                while ContinuousClock.now < end {
                    if isCancelled() { throw CancellationError() }
                    Thread.sleep(forTimeInterval: 0.005)
                }
                pause = min(2 * pause, Self.maximumPause)
            }
        }
    }
}
