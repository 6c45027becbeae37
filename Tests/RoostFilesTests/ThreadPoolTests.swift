import Dispatch
import Synchronization
import Testing

@testable import RoostFiles

/// Tests of the queues of waiting jobs and tasks.
struct ThreadPoolTests {
    private final class Material: Sendable {
        let numbers = Mutex<[Int]>([])
        let running = Atomic(0)
    }

    /// Adds a job that uses an object, and returns a function that returns whether the object still exists.
    private func addJob(to pool: ThreadPool) -> () -> Bool {
        let material = Material()
        pool.add { withExtendedLifetime(material) {} }
        return { [weak material] in material != nil }
    }

    @Test func `a job that has run is released although others wait`() async {
        let pool = ThreadPool(maximumThreads: 1)
        let (begin, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The only thread waits, so the following jobs are in the queue at the same time.
        pool.add { begin.wait() }
        let exists = addJob(to: pool)
        #expect(exists())
        await withCheckedContinuation { continuation in
            pool.add {
                continuation.resume()
                end.wait()
            }
            pool.add {}
            begin.signal()
        }
        // The thread is in the third job, and the fourth job is in the queue.
        #expect(!exists())
        end.signal()
    }

    @Test func `jobs run in the order of arrival`() async {
        let pool = ThreadPool(maximumThreads: 1)
        let material = Material()
        await withCheckedContinuation { continuation in
            for number in 0..<5000 { pool.add { material.numbers.withLock { $0.append(number) } } }
            pool.add { continuation.resume() }
        }
        #expect(material.numbers.withLock { $0 } == Array(0..<5000))
    }

    @Test func `tasks in a queue run one at a time`() async throws {
        let queue = TaskQueue()
        let material = Material()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3000 {
                group.addTask {
                    try await queue.run {
                        #expect(material.running.add(1, ordering: .relaxed).newValue == 1)
                        await Task.yield()
                        material.running.subtract(1, ordering: .relaxed)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await queue.run { true })
    }

    @Test(.timeLimit(.minutes(1))) func `a canceled task does not wait for its turn`() async throws {
        let queue = TaskQueue()
        let (beginning, begin) = AsyncStream<Void>.makeStream()
        let (ending, end) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await queue.run {
                begin.finish()
                for await _ in ending {}
            }
        }
        for await _ in beginning {}
        let canceled = Task { try await queue.run { true } }
        canceled.cancel()
        // The first task runs until the end of the stream.
        await #expect(throws: CancellationError.self) { try await canceled.value }
        end.finish()
        try await first.value
        #expect(try await queue.run { true })
    }
}
