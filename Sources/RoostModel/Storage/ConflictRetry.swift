/// The policy for repeating a read-modify-commit cycle when another writer commits in between.
///
/// A writer that commits with ``WriteBatch/expecting`` gets `.conflict` if the store no longer matches what
/// the writer read. It then has to read again, compute its batch from the new state, and commit again:
///
///     let changed = try await ConflictRetry.standard.run {
///         let snapshot = try await storage.snapshot()
///         let batch = try await makeBatch(snapshot)      // with expectations from this snapshot
///         return try await storage.commit(batch)
///     }
///
/// The policy does not repeat calls that fail for other reasons, such as a busy lock. `RetryPolicy` does.
package struct ConflictRetry: Sendable {
    /// The number of times that an operation is started before its conflict is thrown to the caller.
    package let maximumAttempts: Int

    /// The upper bound of the random pause between two attempts.
    package let maximumPause: Duration

    /// The policy for every read-modify-commit cycle of the package.
    ///
    /// A conflict means that some other writer's commit succeeded, so the writers together always make
    /// progress, and an attempt fails only as often as others commit between its read and its commit. One
    /// hundred attempts let a writer lose that race against dozens of busy writers, as the concurrency laws
    /// in `RoostTestKit` have, and still end a cycle that can never succeed after about half a second of
    /// pauses. Ten milliseconds are a few commits of a durable store: long enough for competing writers to
    /// get out of step.
    package static let standard = ConflictRetry(maximumAttempts: 100, maximumPause: .milliseconds(10))

    package init(maximumAttempts: Int, maximumPause: Duration) {
        precondition(maximumAttempts >= 1 && maximumPause >= .zero)
        self.maximumAttempts = maximumAttempts
        self.maximumPause = maximumPause
    }

    /// Runs an operation, and runs it again after each conflict until it succeeds or the attempts are used
    /// up.
    ///
    /// Before each repetition the task sleeps for a random time (full jitter). The upper bound of that time
    /// starts at one millisecond, doubles with every attempt and ends at ``maximumPause``.
    ///
    /// - Parameters:
    ///   - operation: Reads a new snapshot, computes a batch and commits it. The operation runs from its
    ///     beginning each time, so it must not keep state from an attempt that failed.
    ///   - recover: Runs after a conflict, unless no attempts are left. Returns whether a repetition can
    ///     succeed; after `false` the conflict is thrown.
    /// - Returns: The result of the first attempt that succeeds.
    /// - Throws: The `.conflict` of the last attempt; every other error of `operation` or `recover` at once;
    ///   `CancellationError` if the task is cancelled between two attempts.
    package func run<Result>(
        _ operation: () async throws -> Result,
        recoveringWith recover: (StorageError) async throws -> Bool = { _ in true }
    ) async throws -> Result {
        var pause = min(Duration.milliseconds(1), maximumPause)
        for _ in 1..<maximumAttempts {
            try Task.checkCancellation()
            do {
                return try await operation()
            } catch let error as StorageError where error.code == .conflict {
                guard try await recover(error) else { throw error }
            }
            try await Task.sleep(for: pause * Double.random(in: 0...1))
            pause = min(pause * 2, maximumPause)
        }
        try Task.checkCancellation()
        return try await operation()
    }
}
