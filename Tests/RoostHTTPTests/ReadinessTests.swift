import Roost
import RoostMCP
import RoostModel
import Synchronization
import Testing

@testable import RoostHTTP

/// Tests of the check whether the store can be read.
struct ReadinessTests {
    @Test func `a check ends in time even if opening the store ignores the cancellation`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let isOver = Mutex(false)
        // The cancellation of a caller does not end another task.
        let opening = Task {
            try? await Task.sleep(for: .seconds(20))
            isOver.withLock { $0 = true }
        }
        let handle = StoreHandle {
            await opening.value
            return store
        }
        let check = ReadinessCheck(within: .milliseconds(20))
        for _ in 0..<2 { await #expect(throws: Deadline.Exceeded.self) { try await check.run(handle) } }
        #expect(isOver.withLock(\.self) == false)
        opening.cancel()
        await opening.value
        try await ReadinessCheck(within: .seconds(1200)).run(handle)
    }

    @Test func `a server is ready when the store has been prepared`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        try await store.add("a note")
        let (gate, open) = AsyncStream<Void>.makeStream()
        let calls = Mutex(0)
        // Only the first call, which prepares the store, waits.
        let handle = StoreHandle {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { for await _ in gate { break } }
            return store
        }
        let check = ReadinessCheck(within: .milliseconds(20))
        check.prepare(handle)
        await #expect(throws: Deadline.Exceeded.self) { try await check.run(handle) }
        open.yield()
        try await ReadinessCheck(within: .seconds(1200)).run(handle)
        while (try? await check.run(handle)) == nil { await Task.yield() }
        check.stop()
    }

    /// Counts the snapshots, which begin after 100 milliseconds.
    private final class SlowSnapshots: StorageInterceptor {
        let count = Mutex(0)

        func intercept<Value: Sendable>(
            _ call: StorageCall, size: Int, _ body: () async throws -> Value
        ) async throws -> Value {
            if call == .snapshot {
                count.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(100))
            }
            return try await body()
        }
    }

    @Test func `simultaneous checks read the store once`() async throws {
        let snapshots = SlowSnapshots()
        let storage = InterceptedStorage(InMemoryStorageProvider(), by: snapshots)
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let handle = StoreHandle { store }
        let check = ReadinessCheck(within: .seconds(1200))
        async let first: Void = check.run(handle)
        while snapshots.count.withLock(\.self) == 0 { await Task.yield() }
        async let second: Void = check.run(handle)
        async let third: Void = check.run(handle)
        _ = try await (first, second, third)
        // On a busy machine, the others can begin after the first has ended.
        #expect(snapshots.count.withLock(\.self) < 3)
        // A check that has ended is not used again.
        let before = snapshots.count.withLock(\.self)
        try await check.run(handle)
        #expect(snapshots.count.withLock(\.self) == before + 1)
    }
}
