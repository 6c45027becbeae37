import Dispatch
import Foundation
import RoostFiles
import Testing

struct ComputationTests {
    /// Blocks the thread of the caller until the semaphore is signaled.
    private static func isSignaled(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 120) == .success
    }

    /// Does the same as a function that runs where its caller does.
    private static func isSignaledForCaller(_ semaphore: DispatchSemaphore) async -> Bool {
        isSignaled(semaphore)
    }

    @Test func `computations that do not suspend leave the cooperative pool to other tasks`() async throws {
        let semaphore = DispatchSemaphore(value: 0)
        // The cooperative pool has one thread per core, all of which would be blocked.
        let count = max(2, ProcessInfo.processInfo.activeProcessorCount)
        async let signal: Void = {
            try await Task.sleep(for: .milliseconds(200))
            for _ in 0..<count { semaphore.signal() }
        }()
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask { try await Computation.run { await Self.isSignaledForCaller(semaphore) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await signal
        #expect(results == Array(repeating: true, count: count))
    }

    @Test func `a short computation does not wait for long ones`() async throws {
        let semaphore = DispatchSemaphore(value: 0)
        let count = ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask { try await Computation.run { await Self.isSignaledForCaller(semaphore) } }
            }
            try await Task.sleep(for: .milliseconds(200))
            // Only this computation ends the others.
            try await Computation.run { for _ in 0..<count { semaphore.signal() } }
            for try await isSignaled in group { #expect(isSignaled) }
        }
    }

    @Test func `errors and cancellation reach the caller`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await Computation.run { throw Failure() } }
        let task = Task {
            try await Computation.run {
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
