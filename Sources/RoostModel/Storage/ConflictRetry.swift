/// The policy for repeating a read-modify-commit cycle when another writer commits in between.
///
/// If a writer commits a batch with expectations (``WriteBatch/expecting``), and the store no longer matches
/// the state that the writer read, the commit throws `.conflict`. The writer then reads the store again,
/// computes a new batch, and commits it. Other errors, such as that of a busy lock, end the cycle.
package struct ConflictRetry: Sendable {
    package static let standard = ConflictRetry()

    /// The maximum number of attempts. If the last one fails with a conflict, the conflict is thrown.
    var maximumAttempts = 100
    /// The maximum duration of the random pause between two attempts. A durable store makes a few commits in ten
    /// milliseconds, so pauses of up to this length are long enough for competing writers to get out of step. With
    /// 100 attempts, they are about half a second in total.
    var maximumPause = Duration.milliseconds(10)

    /// Runs an operation, and runs it again after each conflict until it succeeds or the attempts are used
    /// up.
    ///
    /// Before each repetition, the task sleeps for a random time (full jitter). The upper bound of that time
    /// is one millisecond at first and doubles with every attempt until it reaches ``maximumPause``.
    ///
    /// - Parameters:
    ///   - operation: Reads a new snapshot, computes a batch and commits it. The operation runs from its
    ///     beginning each time, so it must not keep state from an attempt that failed.
    ///   - recover: Runs after a conflict, unless no attempts are left. Returns whether a repetition can
    ///     succeed; after `false` the conflict is thrown.
    /// - Returns: The result of the first attempt that succeeds.
    /// - Throws: The `.conflict` of the last attempt; every other error of `operation` or `recover` at once;
    ///   `CancellationError` if the task is canceled between two attempts.
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

extension StorageProvider {
    /// Commits a batch that is computed from a snapshot. If another writer changes the store in the meantime,
    /// it is computed again from the new state. An empty batch is not committed.
    ///
    /// The snapshot is released before the commit: while a snapshot of the state before is held, the storage
    /// cannot reclaim space, and the log of a database would grow with each commit. `change` must not keep it.
    ///
    /// - Parameters:
    ///   - change: Returns the batch, with expectations from the snapshot, and the result of the call.
    ///   - recover: See ``ConflictRetry/run(_:recoveringWith:)``.
    package func commitChange<Value>(
        _ change: (any StorageSnapshot) async throws -> (batch: WriteBatch, value: Value),
        recoveringWith recover: (StorageError) async throws -> Bool = { _ in true }
    ) async throws -> Value {
        try await ConflictRetry.standard.run(
            {
                let (batch, value) = try await change(snapshot())
                if !batch.isEmpty { _ = try await commit(batch) }
                return value
            }, recoveringWith: recover)
    }
}
