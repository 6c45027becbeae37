import Foundation
import Testing

@testable import Roost

/// Tests of the loading of derived contents.
@Suite struct DerivedCatalogTests {
    /// Contents that count how often they are built.
    private struct Counted: DerivedContents {
        static let builds = BuildCount()

        var cursor = ChangeCursor.start
        var notice: SearchNotice?
        var isMapped: Bool { false }
        var maximumChanges: Int { 10 }

        init() {}

        init(of snapshot: any StorageSnapshot) async throws {
            await Self.builds.increment()
            // Gives the other calls time to begin.
            try await Task.sleep(for: .milliseconds(50))
        }

        static func map(_ directory: URL, _ stamp: Stamp) throws -> Counted? { nil }

        mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {}
    }

    private actor BuildCount {
        var value = 0
        func increment() { value += 1 }
    }

    @Test func `concurrent calls load the contents once`() async throws {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "text")]))
        let catalog = DerivedCatalog<Counted>(storage: storage, directory: nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await catalog.current() } }
            try await group.waitForAll()
        }
        #expect(await Counted.builds.value == 1)
    }

    /// Contents whose update waits until the test continues.
    private struct Waiting: DerivedContents {
        static let builds = BuildCount()
        static let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        static let (continued, proceed) = AsyncStream.makeStream(of: Void.self)

        var cursor = ChangeCursor.start
        var notice: SearchNotice?
        var isMapped: Bool { false }
        var maximumChanges: Int { 10 }

        init() {}

        init(of snapshot: any StorageSnapshot) async throws { await Self.builds.increment() }

        static func map(_ directory: URL, _ stamp: Stamp) throws -> Waiting? { nil }

        mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
            Self.begin.yield()
            for await _ in Self.continued { break }
        }
    }

    @Test func `a call that ends after a reset does not put the old contents back`() async throws {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "text")]))
        let catalog = DerivedCatalog<Waiting>(storage: storage, directory: nil)
        _ = try await catalog.current()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "another text")]))
        async let late = catalog.current()
        for await _ in Waiting.begun { break }
        await catalog.reset()
        Waiting.proceed.yield()
        _ = try await late
        _ = try await catalog.current()
        #expect(await Waiting.builds.value == 2)
    }

    /// Contents that are mapped from files.
    private struct Mapped: DerivedContents {
        static let builds = BuildCount()

        var cursor = ChangeCursor.start
        var notice: SearchNotice?
        private(set) var isMapped = false
        var maximumChanges: Int { 10 }

        init() {}

        init(of snapshot: any StorageSnapshot) async throws { await Self.builds.increment() }

        static func map(_ directory: URL, _ stamp: Stamp) throws -> Mapped? {
            var contents = Mapped()
            (contents.cursor, contents.isMapped) = (stamp.cursor, true)
            return contents
        }

        mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {}
    }

    @Test func `contents of rejected files are built from the storage once`() async throws {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: [Entry(content: "text")]))
        let directory = URL(fileURLWithPath: "/store", isDirectory: true)
        let catalog = DerivedCatalog<Mapped>(storage: storage, directory: directory)
        #expect(try await catalog.current().isMapped)
        await catalog.rejectIndex("it is damaged")
        let rebuilt = try await catalog.current()
        #expect(!rebuilt.isMapped && rebuilt.notice?.message.contains("it is damaged") == true)
        // Another search that used the mapped contents finds the same damage later.
        await catalog.rejectIndex("it is damaged")
        _ = try await catalog.current()
        #expect(await Mapped.builds.value == 1)
        await catalog.reset()
        #expect(try await catalog.current().isMapped)
    }
}
