import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Several processes can build the index of a store at the same time.
@Suite(.temporaryFolders) struct ConcurrentIndexTests {
    @Test func `a graph over vectors that were replaced does not replace the graph over the new ones`()
        async throws
    {
        let folder = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(in: folder, embedder: LexicalEmbedder(dimension: 32))
        for number in 0..<40 { try await store.add("a bird on the roof \(number)") }
        try await store.buildIndex(minimumGraphPassages: 1)
        let stamp = try await store.storage.snapshot().stamp
        let earlier = try #require(try PassageFile(in: folder, for: stamp))
        // Another process writes the index of a later state before the graph of this one is complete.
        try await store.add("a boat at sea")
        try await store.buildIndex(minimumGraphPassages: 1)
        try await earlier.buildGraph()

        let latestStamp = try await store.storage.snapshot().stamp
        let latest = try #require(try PassageFile(in: folder, for: latestStamp))
        #expect(latest.metadata.count == 41)
        #expect(try latest.graph() != nil)
        try await store.close()
    }

    @Test func `boilerplate is saved when no other process writes to the folder`() async throws {
        let folder = try TemporaryFolder().url
        let catalog = BoilerplateCatalog(of: folder)
        let contents = BoilerplateCatalog.Contents(
            space: EmbeddingSpace(model: "m", revision: "r", dimension: 1, pooling: "mean"),
            lines: ["a line"], texts: [ContentDigest(of: "x")], elements: [1])
        await catalog.save(contents)
        #expect(catalog.load() == contents)
        // Another process, which removes unfinished files, holds the lock.
        let lock = try FileLock.acquire(IndexFolder(of: folder).file("lock"), timeout: 1)
        var changed = contents
        changed.lines = ["another line"]
        let saving = Task { [changed] in await catalog.save(changed) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(catalog.load() == contents)
        lock.release()
        await saving.value
        #expect(catalog.load() == changed)
    }
}
