/// The policy for repeating calls that fail temporarily: the number of attempts and the pauses between them.
///
/// The pause doubles after every attempt until it reaches ``maximumPause``.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of times that a call is made, including the first; at least 1.
    public var attempts: Int {
        didSet { precondition(attempts >= 1, "a call needs at least 1 attempt, not \(attempts)") }
    }
    /// The pause before the second attempt.
    public var pause: Duration
    /// The upper limit for the duration of a pause.
    public var maximumPause: Duration

    /// Creates a policy. With the default values, the pauses add up to at most 350 ms, which is longer than
    /// almost any commit holds a lock.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that a call is made, including the first.
    ///   - pause: The pause before the second attempt.
    ///   - maximumPause: The upper limit for the duration of a pause.
    /// - Precondition: `attempts` is at least 1.
    public init(
        attempts: Int = 4, pause: Duration = .milliseconds(50), maximumPause: Duration = .seconds(2)
    ) {
        precondition(attempts >= 1, "a call needs at least 1 attempt, not \(attempts)")
        self.attempts = attempts
        self.pause = pause
        self.maximumPause = maximumPause
    }
}
