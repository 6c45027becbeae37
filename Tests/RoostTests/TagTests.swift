import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

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

/// Tests of ``KnowledgeStore/count(by:matching:)``.
struct EntryCounterTests {
    private let storage = InMemoryStorageProvider()
    private let first = Cluster(label: "first")

    /// Stores three entries: two from one folder in January, of which one is in a cluster, and a loose one.
    private func fill() async throws {
        let january = Date(timeIntervalSince1970: 1_767_268_800)  // 2026-01-01, 12:00 UTC
        let (day, february) = (TimeInterval(86_400), january.addingTimeInterval(40 * 86_400))
        let entries = [
            Entry(
                content: "a", embeddings: [1, 0], source: "file:///notes/birds/a.md",
                metadata: ["year": 2024, "lang": ["en", "de", "en"]], tags: ["Garden", "birds"],
                createdAt: january),
            Entry(
                content: "b", embeddings: [1, 0], source: "file:///notes/birds/b.md",
                metadata: ["year": 2024, "lang": nil], tags: ["garden"],
                createdAt: january.addingTimeInterval(4 * day)),
            Entry(content: "c", embeddings: [1, 0], createdAt: february),
        ]
        let assignment = Assignment(
            entry: entries[0].id, target: .cluster(first.id), run: nil, similarity: 1, confidence: 1)
        _ = try await storage.commit(
            WriteBatch(
                upserts: entries,
                clustering: .init(run: nil, clusters: [first], assignments: [assignment])))
    }

    private func counts(
        _ names: String..., matching filter: EntryFilter = .all, zone: String = "UTC"
    ) async throws -> [String] {
        let properties = try names.map { try #require(EntryProperty($0)) }
        var counter = try await EntryCounter(
            properties, in: storage.snapshot(), timeZone: try #require(TimeZone(identifier: zone)))
        return try await counter.counts(matching: filter).map { count in
            (count.values.map { $0 ?? "-" } + ["\(count.count)"]).joined(separator: " ")
        }
    }

    @Test func `Entries are counted for each of their values, and once without a value`() async throws {
        try await fill()
        #expect(try await counts("tag") == ["Garden 2", "birds 1", "- 1"])
        #expect(try await counts("lang") == ["- 2", "de 1", "en 1"])
        #expect(try await counts("metadata.year") == ["2024 2", "- 1"])
        #expect(try await counts("folder") == ["/notes/birds 2", "- 1"])
        #expect(try await counts("source").first == "file:///notes/birds/a.md 1")
        #expect(try await counts("cluster") == ["- 2", "first 1"])
        #expect(try await counts("tag", matching: EntryFilter(tags: ["birds"])) == ["Garden 1", "birds 1"])
        #expect(try await counts("none", matching: EntryFilter(tags: ["none"])) == [])
    }

    @Test func `Periods are in the order of the calendar, in the time zone`() async throws {
        try await fill()
        #expect(try await counts("month") == ["2026-01 2", "2026-02 1"])
        #expect(try await counts("day") == ["2026-01-01 1", "2026-01-05 1", "2026-02-10 1"])
        // The first of January 2026 is a Thursday, so its week is the first one.
        #expect(try await counts("week") == ["2026-W01 1", "2026-W02 1", "2026-W07 1"])
        #expect(try await counts("year") == ["2026 3"])
        #expect(try await counts("day", zone: "Pacific/Kiritimati").first == "2026-01-02 1")
    }

    @Test func `Two properties give the numbers of their combinations`() async throws {
        try await fill()
        #expect(try await counts("folder", "month") == ["/notes/birds 2026-01 2", "- 2026-02 1"])
        #expect(
            try await counts("tag", "month") == ["Garden 2026-01 2", "birds 2026-01 1", "- 2026-02 1"])
    }

    @Test func `A date without a time counts for the same day in every time zone`() async throws {
        let day = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01, 00:00 UTC
        for (content, date) in [("a", day), ("b", day.addingTimeInterval(3600))] {
            let entry = Entry(content: content, embeddings: [1, 0], createdAt: date)
            _ = try await storage.commit(WriteBatch(upserts: [entry]))
        }
        #expect(try await counts("day", zone: "America/New_York") == ["2025-12-31 1", "2026-01-01 1"])
        #expect(try await counts("day", zone: "Asia/Tokyo") == ["2026-01-01 2"])
        #expect(try await counts("week", zone: "America/New_York") == ["2026-W01 2"])
    }

    @Test func `An entry with too many combinations of values is refused`() async throws {
        func values(_ count: Int) -> MetadataValue { .array((0..<count).map { .string("\($0)") }) }
        let large = EntryCounter.maximumCombinations
        let entry = Entry(
            content: "a", embeddings: [1, 0],
            metadata: ["a": values(100), "b": values(large / 100), "c": values(2), "d": values(large + 1)])
        _ = try await storage.commit(WriteBatch(upserts: [entry]))
        #expect(try await counts("a", "b").count == large)
        #expect(try await counts("d", "none").count == large + 1)
        let error = await #expect(throws: RoostError.self) { try await counts("a", "b", "c") }
        #expect(error?.code == .badInput && error?.message.contains("fewer properties") == true)
    }

    @Test func `A name is that of a property, or a metadata key`() {
        #expect(EntryProperty("month") == .month)
        #expect(EntryProperty("metadata.month") == .metadata("month"))
        #expect(EntryProperty("status") == .metadata("status"))
        #expect(EntryProperty("") == nil && EntryProperty("metadata.") == nil)
        #expect(EntryProperty("tags") == .tag)
    }
}
