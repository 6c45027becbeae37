import Dispatch
import Foundation
import Roost
import RoostModel
import Synchronization
import TestSupport
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
@MainActor @Suite(.temporaryFolders) struct CallerIsolationTests {
    @Test func `calls that decode or encode whole stores leave the main actor`() async throws {
        let storage = ObservedStorage()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let added = try await store.add("a swift over the roof")
        var archive = Data()
        var wroteOnMainQueue = false
        try await store.exportEntries(withEmbeddings: true) {
            archive += $0
            wroteOnMainQueue = isOnMainQueue()
        }
        #expect(wroteOnMainQueue)
        _ = storage.snapshotsOnMainQueue
        // A short call stays there, which shows that the storage notices it.
        #expect(try await store.entry(added.id) != nil)
        #expect(storage.snapshotsOnMainQueue > 0)
        _ = try await store.clusters.export()
        #expect(storage.snapshotsOnMainQueue == 0)
        let file = try TemporaryFolder().url.appendingPathComponent("archive.jsonl")
        try archive.write(to: file)
        #expect(try await store.importEntries(from: file).unchanged == 1)
        #expect(storage.snapshotsOnMainQueue == 0)
    }

    @Test func `calls that compute with many entries leave the main actor`() async throws {
        let storage = ObservedStorage()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        for text in ["a swift over the roof", "a stork on the chimney", "snow on the mountains"] {
            try await store.add(text)
        }
        _ = storage.snapshotsOnMainQueue
        #expect(try await store.search("swift").hits.isEmpty == false)
        #expect(storage.snapshotsOnMainQueue == 0, "search")
        #expect(try await store.links.broken().isEmpty)
        #expect(storage.snapshotsOnMainQueue == 0, "brokenLinks")
        #expect(try await store.duplicates().isEmpty)
        #expect(storage.snapshotsOnMainQueue == 0, "duplicates")
        _ = try await store.recluster(clusters: 2)
        #expect(storage.snapshotsOnMainQueue == 0, "recluster")
        _ = try await store.clusters.outliers()
        #expect(storage.snapshotsOnMainQueue == 0, "clusterOutliers")
    }

    @Test func `a model is opened outside of the main actor`() async throws {
        let folder = TemporaryFolder.unusedURL()
        try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder()).close()
        let calls = Mutex<[Bool]>([])
        let store = try await KnowledgeStore.open(at: folder) { _ in
            calls.withLock { $0.append(isOnMainQueue()) }
            return LexicalEmbedder()
        }
        try await store.close()
        #expect(calls.withLock { $0 } == [false])
    }
}
