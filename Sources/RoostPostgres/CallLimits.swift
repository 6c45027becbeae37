/// The limits of a call: the time at which it gives up, and whether its task was canceled.
struct CallLimits {
    let deadline: ContinuousClock.Instant
    let isCancelled: @Sendable () -> Bool

    init(_ timeout: Duration, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        deadline = .now + timeout
        self.isCancelled = isCancelled
    }

    /// The time after which a call that does not wait for other writers gives up. It is long, because large
    /// results and batches take time; a connection that breaks silently is noticed earlier by the system.
    static let callTimeout = Duration.seconds(3600)

    /// The same deadline without cancellation, for calls after the commit point.
    var withoutCancellation: CallLimits { CallLimits(deadline: deadline) }

    private init(deadline: ContinuousClock.Instant) {
        self.deadline = deadline
        isCancelled = { false }
    }

    /// Checks that the call may continue to wait.
    ///
    /// - Throws: `CancellationError`; `ConnectionError.timedOut`.
    func check() throws {
        if isCancelled() { throw CancellationError() }
        if ContinuousClock.now >= deadline { throw ConnectionError.timedOut }
    }
}
