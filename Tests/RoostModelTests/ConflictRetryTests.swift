import Testing

@testable import RoostModel

struct ConflictRetryTests {
    private let quick = ConflictRetry(maximumAttempts: 5, maximumPause: .milliseconds(1))

    @Test func `an operation is repeated until it succeeds`() async throws {
        var attempts = 0
        let result = try await quick.run {
            attempts += 1
            if attempts < 4 { throw StorageError(.conflict, "attempt \(attempts)") }
            return "done"
        }
        #expect(result == "done" && attempts == 4)
    }

    @Test func `the last conflict is thrown when all attempts are used up`() async throws {
        var attempts = 0
        let error = await #expect(throws: StorageError.self) {
            try await quick.run {
                attempts += 1
                throw StorageError(.conflict, "attempt \(attempts)")
            }
        }
        #expect(attempts == 5 && error?.message == "attempt 5")
    }

    @Test func `an error that is not a conflict is thrown at once`() async throws {
        var attempts = 0
        let error = await #expect(throws: StorageError.self) {
            try await quick.run {
                attempts += 1
                throw StorageError(.full, "the store is full")
            }
        }
        #expect(attempts == 1 && error?.code == .full)
    }

    @Test func `recovery decides whether the operation is repeated`() async throws {
        var (attempts, recoveries) = (0, 0)
        await #expect(throws: StorageError.self) {
            try await quick.run {
                attempts += 1
                throw StorageError(.conflict, "attempt \(attempts)")
            } recoveringWith: { _ in
                recoveries += 1
                return recoveries < 2
            }
        }
        #expect(attempts == 2 && recoveries == 2)
    }

    @Test func `a canceled task stops repeating`() async throws {
        let task = Task {
            try await ConflictRetry(maximumAttempts: 1000, maximumPause: .seconds(10)).run {
                throw StorageError(.conflict, "always")
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
