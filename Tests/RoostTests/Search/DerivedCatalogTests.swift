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
}
