import Foundation
import Roost
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostServer

@Suite(.temporaryFolders)
struct StoreHandleTests {
    private final class Calls: Sendable {
        let opens = Mutex(0)
        let reopens = Mutex(0)
    }

    @Test func `concurrent requests open the store once`() async throws {
        let calls = Calls()
        let handle = StoreHandle {
            calls.opens.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(20))
            return KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { _ = try await handle.use { try await $0.add("text \(number)") } }
            }
            try await group.waitForAll()
        }
        #expect(calls.opens.withLock(\.self) == 1)
        #expect(try await handle.use { try await $0.storage.snapshot().stamp.entryCount } == 8)
    }

    @Test func `a failure to open is reported, and the next request tries again`() async throws {
        let calls = Calls()
        let handle = StoreHandle {
            let count = calls.opens.withLock { count in
                count += 1
                return count
            }
            if count == 1 { throw StorageError(.locked, "locked") }
            return KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        }
        await #expect(throws: StorageError.self) { try await handle.prepare() }
        try await handle.prepare()
        #expect(calls.opens.withLock(\.self) == 2)
    }

    /// Another program can replace the folder of a store while it is served, for example by a restored one.
    @Test func `a replaced store is opened again, and a missing one is not created`() async throws {
        let folder = try TemporaryFolder().url
        let (location, other) = (
            folder.appendingPathComponent("store"), folder.appendingPathComponent("other")
        )
        for (url, text) in [(location, "first"), (other, "second")] {
            let store = try await KnowledgeStore.create(at: url, embedder: LexicalEmbedder())
            try await store.add(text)
            try await store.close()
        }
        let calls = Calls()
        let open = { @Sendable in try await KnowledgeStore.open(at: location) { _ in LexicalEmbedder() } }
        let handle = StoreHandle(
            open: open,
            reopen: {
                calls.reopens.withLock { $0 += 1 }
                return try await open()
            })
        func texts() async throws -> [String] {
            try await handle.use { try await $0.storage.fetchEntries().map(\.content) }
        }
        #expect(try await texts() == ["first"])
        try FileManager.default.removeItem(at: location)
        await #expect(throws: RoostError.self) { try await texts() }
        await #expect(throws: (any Error).self) { try await handle.use { try await $0.add("lost") } }
        #expect(!FileManager.default.fileExists(atPath: location.path))
        try FileManager.default.moveItem(at: other, to: location)
        #expect(try await texts() == ["second"])
        _ = try await handle.use { try await $0.add("third") }
        #expect(try await texts().sorted() == ["second", "third"])
        #expect(calls.reopens.withLock(\.self) >= 1)
        try await handle.close()
    }
}
