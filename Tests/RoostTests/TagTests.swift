import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

/// Tests of tags in the library.
@Suite(.temporaryFolders) struct TagTests {
    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    private func tags(_ id: Entry.ID, _ store: KnowledgeStore) async throws -> [String]? {
        try await store.storage.snapshot().entries([id]).first?.tags
    }

    @Test func `tags are stored in one line, and empty ones are ignored`() async throws {
        let store = store()
        let added = try await store.add("a swift", tags: ["two\nwords", " ", "", "Bird\u{0}s", "bird s"])
        #expect(try await tags(added.id, store) == ["Bird s", "two words"])
        let draft = EntryDraft(key: "k", content: "a heron", tags: ["a\r\n b", "\t"])
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: [draft])])
        let ingested = try await store.storage.fetchEntries().last
        #expect(ingested?.tags == ["a b"])
        await #expect(throws: RoostError.self) {
            try await store.update([added.id], EntryChanges(addedTags: [" \n"]))
        }
    }

    @Test func `the stored spelling of a tag stays`() async throws {
        let store = store()
        let id = try await store.add("a swift", tags: ["Birds"]).id
        #expect(try await store.update([id], EntryChanges(addedTags: ["birds"])) == 0)
        #expect(try await !store.add("a swift", tags: ["BIRDS", "roof"]).isNew)
        #expect(try await tags(id, store) == ["Birds", "roof"])
        var options = IngestOptions()
        options.tags = ["ROOF"]
        let source = SourceDraft(
            id: "s", fingerprint: "1", entries: [EntryDraft(content: "x", tags: ["Roof"])])
        _ = try await store.ingest([source])
        let again = try await store.ingest([source], options)
        #expect((again.updated, again.unchanged) == (0, 1))
    }

    @Test func `a tag is removed in any spelling, without the tags that are nested in it`() async throws {
        let store = store()
        let id = try await store.add("a swift", tags: ["Birds", "birds/swifts"]).id
        #expect(try await store.update([id], EntryChanges(removedTags: ["BIRDS"])) == 1)
        #expect(try await tags(id, store) == ["birds/swifts"])
        #expect(try await store.update([id], EntryChanges(removedTags: ["birds"])) == 0)
    }

    @Test func `a change can replace the spelling of a tag`() async throws {
        let store = store()
        let id = try await store.add("a swift", tags: ["birds", "roof"]).id
        var changes = EntryChanges()
        (changes.addedTags, changes.removedTags) = (["Birds", "x"], ["birds", "x"])
        #expect(try await store.update(id, changes).tags == ["Birds", "roof"])
    }

    @Test func `entries are found by tags of any case, also in a database`() async throws {
        let folder = TemporaryFolder.unusedURL()
        for storage in [StoreManifest.Provider.json, .sqlite] {
            let location = folder.appendingPathComponent("\(storage)")
            let store = try await KnowledgeStore.create(
                at: location, provider: storage, embedder: LexicalEmbedder())
            try await store.add("mint", tags: ["Garden/Herbs"])
            try await store.add("spade", tags: ["garden"])
            try await store.add("paper", tags: ["gardens"])
            #expect(try await store.count(matching: [.tag("GARDEN")]) == 2)
            #expect(try await store.count(matching: EntryFilter(tags: ["garden/herbs"])) == 1)
            let hits = try await store.search(EntrySearch("mint", matching: [.tag("garden")])).hits
            #expect(hits.first?.entry.content == "mint")
            try await store.close()
        }
    }

    @Test func `entries are listed in each order`() async throws {
        let store = store()
        func draft(_ content: String, _ title: String?, _ created: Double, _ updated: Double) -> EntryDraft {
            EntryDraft(
                key: content, content: content, metadata: title.map { ["title": .string($0)] } ?? [:],
                createdAt: Date(timeIntervalSince1970: created),
                updatedAt: Date(timeIntervalSince1970: updated))
        }
        for (source, entry) in [
            ("z", draft("dddd", "beta", 30, 40)), ("y", draft("a", "Alpha", 20, 90)),
            ("y", draft("bb", "beta", 10, 50)), ("x", draft("ccc", "gamma", 20, 60)),
        ] {
            _ = try await store.ingest([
                SourceDraft(id: source, fingerprint: entry.content, entries: [entry], isComplete: false)
            ])
        }
        func contents(_ order: EntryOrder, _ isReversed: Bool = false) async throws -> [String] {
            let ids = try await order.ids(
                matching: .all, isReversed: isReversed, in: store.storage.snapshot())
            return try await store.storage.snapshot().entries(ids).map(\.content)
        }
        #expect(try await contents(.added) == ["dddd", "a", "bb", "ccc"])
        #expect(try await contents(.title) == ["a", "dddd", "bb", "ccc"])
        #expect(try await contents(.created) == ["bb", "a", "ccc", "dddd"])
        #expect(try await contents(.updated) == ["dddd", "bb", "ccc", "a"])
        #expect(try await contents(.size) == ["a", "bb", "ccc", "dddd"])
        #expect(try await contents(.source) == ["ccc", "a", "bb", "dddd"])
        #expect(try await contents(.title, true) == ["ccc", "bb", "dddd", "a"])
        let some = try await EntryOrder.size.ids(
            matching: [.source == "y"], isReversed: false, in: store.storage.snapshot())
        #expect(some.count == 2)
    }
}
