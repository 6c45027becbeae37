import Foundation
import Testing

@testable import Roost

/// Tests of copies of stores.
@Suite struct StoreCopyTests {
    private func store(_ texts: [String] = []) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for text in texts { _ = try await store.add(text, tags: ["kept"]) }
        return store
    }

    private let texts = ["the swift above the roof", "a boat below the bridge", "bread in the oven"]

    private func entries(_ store: KnowledgeStore) async throws -> [Entry] {
        try await store.storage.fetchEntries().sorted { $0.id.text < $1.id.text }
    }

    @Test func `a copy continues, and follows changes of the source`() async throws {
        let source = try await store(texts)
        let target = try await store()
        // A part of the same copy.
        _ = try await target.storage.commit(WriteBatch(upserts: [try await entries(source)[0]]))
        #expect(try await StoreCopy(from: source, to: target).run().entries == 3)
        #expect(try await entries(target) == entries(source))
        let first = try await entries(source)[0]
        try await source.replaceContent(of: first, with: "a heron below the bridge")
        try await StoreCopy(from: source, to: target).run()
        #expect(try await entries(target) == entries(source))
    }

    @Test func `a copy does not replace what was edited in the target`() async throws {
        let source = try await store(texts)
        let target = try await store()
        try await StoreCopy(from: source, to: target).run()
        // Dates are whole milliseconds.
        try await Task.sleep(for: .milliseconds(5))
        try await target.replaceContent(of: try await entries(target)[1], with: "a heron in the reeds")
        let edited = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == edited)
    }

    @Test func `a store with other entries is no target`() async throws {
        let source = try await store(texts)
        let target = try await store(["an owl"])
        let before = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == before)
    }
}
