/// The delay before another attempt of a failed request: exponential, with jitter.
struct RetryDelay {
    /// The longest delay before the second attempt.
    let first: Duration
    /// The limit of every delay, even if the server requests a longer one.
    let maximum: Duration

    /// Returns the delay after an attempt. The jitter also applies to the delay that the server requested,
    /// because otherwise all clients that it rejected would return at the same time.
    func callAsFunction(after attempt: Int, atLeast requested: Duration?) -> Duration {
        let backoff = first * Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1)
        let minimum = (requested ?? .zero) * Double.random(in: 1...1.1)
        return min(max(backoff, minimum), maximum)
    }
}
