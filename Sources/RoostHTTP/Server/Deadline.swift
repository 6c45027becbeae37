/// A limit on the duration of an operation.
enum Deadline {
    /// The error of an operation that took too long.
    struct Exceeded: Error {}

    /// Runs an operation, and cancels it if it takes too long.
    ///
    /// - Throws: ``Exceeded`` if the time is over; any error of the operation.
    static func run<Result: Sendable>(
        within time: Duration, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw Exceeded() }
            return result
        }
    }
}
