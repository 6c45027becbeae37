import Foundation
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
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder(dimension: 32))
        for number in 0..<40 { try await store.add("a bird on the roof \(number)") }
        try await store.index.build(graphPassages: 1 ... .max)
        let stamp = try await store.storage.snapshot().stamp
        let earlier = try #require(try PassageFile(in: IndexFolder(of: folder), for: stamp))
        // Another process writes the index of a later state before the graph of this one is complete.
        try await store.add("a boat at sea")
        try await store.index.build(graphPassages: 1 ... .max)
        try await PassageVectors.buildIndex(of: earlier, from: nil)

        let latestStamp = try await store.storage.snapshot().stamp
        let latest = try #require(try PassageFile(in: IndexFolder(of: folder), for: latestStamp))
        #expect(latest.metadata.count == 41)
        #expect(try PassageVectors(of: latest).indexSize != nil)
        try await store.close()
    }

    @Test func `boilerplate is saved when no other process writes to the folder`() async throws {
        let folder = try TemporaryFolder().url
        let catalog = BoilerplateCatalog(in: IndexFolder(of: folder))
        let space = EmbeddingSpace(model: "m", revision: "r", dimension: 1, pooling: "mean")
        let contents = BoilerplateVectors(space, ["a line": [1]])
        await catalog.save(contents)
        #expect(catalog.load() == contents)
        // Another process, which removes unfinished files, holds the lock.
        let lock = try FileLock.acquire(IndexFolder(of: folder).file("lock"), timeout: 1)
        let changed = BoilerplateVectors(space, ["another line": [1]])
        let saving = Task { await catalog.save(changed) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(catalog.load() == contents)
        lock.release()
        await saving.value
        #expect(catalog.load() == changed)
    }
}

@Suite struct DerivedCatalogTests {
    private actor BuildCount {
        var value = 0
        func increment() { value += 1 }
    }

    /// Contents whose update waits until the test continues.
    private struct Waiting: DerivedContents {
        static let builds = BuildCount()
        static let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        static let (continued, proceed) = AsyncStream.makeStream(of: Void.self)

        var cursor = ChangeCursor.start
        var notice: SearchNotice?
        var maximumChanges: Int { 10 }

        init() {}

        init(of snapshot: any StorageSnapshot) async throws { await Self.builds.increment() }

        static func map(_ folder: IndexFolder, _ stamp: Stamp) throws -> Waiting? { nil }

        mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
            Self.begin.yield()
            for await _ in Self.continued { break }
        }
    }

    @Test func `a call that ends after a reset does not put the old contents back`() async throws {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "text")]))
        let catalog = DerivedCatalog<Waiting>(storage: storage, folder: nil)
        _ = try await catalog.contents(of: storage.snapshot())
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "another text")]))
        let newer = try await storage.snapshot()
        async let late = catalog.contents(of: newer)
        for await _ in Waiting.begun { break }
        await catalog.reset()
        Waiting.proceed.yield()
        _ = try await late
        _ = try await catalog.contents(of: storage.snapshot())
        #expect(await Waiting.builds.value == 2)
    }

    private struct Mapped: DerivedContents {
        static let builds = BuildCount()

        var cursor = ChangeCursor.start
        var notice: SearchNotice?
        private(set) var isMapped = false
        var maximumChanges: Int { 10 }

        init() {}

        init(of snapshot: any StorageSnapshot) async throws { await Self.builds.increment() }

        static func map(_ folder: IndexFolder, _ stamp: Stamp) throws -> Mapped? {
            var contents = Mapped()
            (contents.cursor, contents.isMapped) = (stamp.cursor, true)
            return contents
        }

        mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {}
    }

    @Test func `contents of rejected files are built from the storage once`() async throws {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "text")]))
        let folder = IndexFolder(of: URL(fileURLWithPath: "/store", isDirectory: true))
        let catalog = DerivedCatalog<Mapped>(storage: storage, folder: folder)
        #expect(try await catalog.contents(of: storage.snapshot()).isMapped)
        await catalog.rejectIndex("it is damaged")
        let rebuilt = try await catalog.contents(of: storage.snapshot())
        #expect(!rebuilt.isMapped && rebuilt.notice?.message.contains("it is damaged") == true)
        // Another search that used the mapped contents finds the same damage later.
        await catalog.rejectIndex("it is damaged")
        _ = try await catalog.contents(of: storage.snapshot())
        #expect(await Mapped.builds.value == 1)
        await catalog.reset()
        #expect(try await catalog.contents(of: storage.snapshot()).isMapped)
    }
}
