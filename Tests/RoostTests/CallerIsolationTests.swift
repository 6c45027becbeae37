import Dispatch
import Foundation
import Roost
import RoostModel
import Synchronization
import Testing

/// Returns whether the caller runs on the main queue, on which the main actor runs. On Linux, its thread need
/// not be the main thread.
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueKey) != nil }

private let mainQueueKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// A storage that counts the snapshots that were taken on the main queue.
private final class ObservedStorage: StorageDecorator {
    let base = InMemoryStorageProvider()
    private let snapshots = Mutex(0)

    /// The number of snapshots that were taken on the main queue since the last access.
    var snapshotsOnMainQueue: Int {
        snapshots.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    func snapshot() async throws -> any StorageSnapshot {
        if isOnMainQueue() { snapshots.withLock { $0 += 1 } }
        return try await base.snapshot()
    }
}

/// Tests of calls that a program makes on the main actor, whose thread draws the windows of an app.
@MainActor struct CallerIsolationTests {
    @Test func `calls that decode or encode whole stores leave the main actor`() async throws {
        let storage = ObservedStorage()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let added = try await store.add("a swift over the roof")
        var archive = Data()
        var wroteOnMainQueue = false
        try await store.exportEntries(.jsonl, withEmbeddings: true) {
            archive += $0
            wroteOnMainQueue = isOnMainQueue()
        }
        #expect(wroteOnMainQueue)
        _ = storage.snapshotsOnMainQueue
        // A short call stays there, which shows that the storage notices it.
        #expect(try await store.entry(added.id) != nil)
        #expect(storage.snapshotsOnMainQueue > 0)
        _ = try await store.exportClusters()
        #expect(storage.snapshotsOnMainQueue == 0)
        #expect(try await store.importEntries(archive, name: "archive").unchanged == 1)
        #expect(storage.snapshotsOnMainQueue == 0)
    }
}
