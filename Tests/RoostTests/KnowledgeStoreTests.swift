import Foundation
import RoostStorage
import TestSupport
import Testing

@testable import Roost

@Suite(.temporaryFolders) struct KnowledgeStoreTests {
    func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    func draft(_ id: String, _ texts: [String], fingerprint: String = "1") -> SourceDraft {
        SourceDraft(id: id, fingerprint: fingerprint, entries: texts.map { EntryDraft(content: $0) })
    }

    @Test func `ingesting the same input twice changes nothing`() async throws {
        let store = store()
        let source = draft("s", ["one swift", "two swifts", "one swift", ""])
        let first = try await store.ingest([source])
        #expect((first.new, first.unchanged, first.skipped.count, first.reused) == (3, 0, 1, 1))
        let revision = try await store.storage.snapshot().stamp.revision
        let again = try await store.ingest([source])
        #expect((again.new, again.updated, again.removed, again.unchanged) == (0, 0, 0, 3))
        #expect(try await store.storage.snapshot().stamp.revision == revision)
    }

    @Test func `an edited source updates only the entries that changed`() async throws {
        let store = store()
        _ = try await store.ingest([draft("s", ["a bird", "a boat", "a bread"])])
        let before = try await store.storage.fetchEntries()
        let report = try await store.ingest([draft("s", ["a bird", "a boat mended"], fingerprint: "2")])
        #expect((report.new, report.removed, report.unchanged) == (1, 2, 1))
        let after = try await store.storage.fetchEntries()
        #expect(Set(after.map(\.content)) == ["a bird", "a boat mended"])
        #expect(after.first == before.first)
    }

    @Test func `a text of a file or one that an entry had before it was changed is added again`() async throws
    {
        let store = store()
        _ = try await store.ingest([draft("file:///x/eq.md", ["a bird in the file"])])
        let ingested = try #require(try await store.storage.fetchEntries().first)
        let same = try await store.add("a bird in the file", tags: ["seen"], metadata: ["year": 2026])
        // The entry of the file will be removed with the file.
        #expect(same.id != ingested.id && same.isNew)
        #expect(try await store.add("a bird in the file").id == same.id)

        let added = try await store.add("an old boat")
        var changes = EntryChanges()
        changes.content = "a new boat"
        try await store.update(added.id, changes)
        #expect(try await store.add("a new boat ").isNew)
        #expect(try await store.add("an old boat").isNew)
        #expect(try await store.count() == 5)
    }

    @Test func `a person's title, tags and metadata survive a change of the file`() async throws {
        let store = store()
        func ingest(_ text: String, _ metadata: [String: MetadataValue]) async throws {
            let draft = EntryDraft(
                key: "file", content: text, metadata: metadata, tags: ["Roof", "bird", "nest"])
            _ = try await store.ingest([
                SourceDraft(id: "file:///x/a.md", fingerprint: text, entries: [draft])
            ])
        }
        try await ingest("a swift", ["title": "Swifts", "year": 2025, "due": "May", "place": "roof"])
        let id = try #require(try await store.storage.fetchEntries().first?.id)
        try await store.update(
            id,
            EntryChanges(
                addedTags: ["mine"], removedTags: ["roof", "nest"],
                metadata: ["title": "My swifts", "status": "done", "due": .null, "year": 2025]
            ))
        try await store.update(id, EntryChanges(addedTags: ["nest"]))
        try await ingest("two swifts", ["title": "Swifts", "year": 2026, "due": "June", "place": "tower"])
        let entry = try #require(try await store.entry(id))
        #expect(entry.content == "two swifts" && entry.tags == ["bird", "mine", "nest"])
        #expect((entry.title, entry.metadata["status"], entry.metadata["due"]) == ("My swifts", "done", nil))
        #expect(entry.metadata["year"] == 2026 && entry.metadata["place"] == "tower")
    }

    @Test func `a moved text is not embedded again`() async throws {
        let store = store()
        let key = EntryDraft(key: "file", content: "the swifts are back")
        _ = try await store.ingest([SourceDraft(id: "old", fingerprint: "1", entries: [key])])
        let report = try await store.ingest([SourceDraft(id: "new", fingerprint: "1", entries: [key])])
        #expect((report.new, report.reused, report.tokens) == (1, 1, 0))
    }

    @Test func `equal texts of files with different names keep their vectors when they are read again`()
        async throws
    {
        let store = store()
        func sources(_ version: Int64) -> [SourceDraft] {
            // The name of a file of source code is embedded with its text.
            ["/x/fill.py", "/x/empty.py", "/x/other.py"].map { path in
                let code = "def barrel(litres):\n    return litres * 2\n"
                let draft = EntryDraft(key: "file", content: code, metadata: ["version": .integer(version)])
                return SourceDraft(id: path, fingerprint: "\(version)", entries: [draft])
            }
        }
        let first = try await store.ingest(sources(1))
        #expect(first.new == 3 && first.tokens > 0)
        let second = try await store.ingest(sources(2))
        #expect((second.new, second.updated, second.tokens) == (0, 3, 0))
    }

    @Test func `an interrupted ingest resumes`() async throws {
        let store = store()
        let texts = (0..<40).map { "note number \($0)" }
        // A killed process leaves a committed batch and no source record.
        _ = try await store.ingest([
            SourceDraft(
                id: "s", fingerprint: "", entries: texts.prefix(15).map { EntryDraft(content: $0) },
                isComplete: false)
        ])
        var options = IngestOptions()
        options.batchSize = 10
        let report = try await store.ingest([draft("s", texts)], options)
        #expect((report.new, report.unchanged, report.removed) == (25, 15, 0))
    }

    @Test func `a tag that is added during an ingest is preserved`() async throws {
        let storage = InterruptedStorage()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let row = EntryDraft(key: "id:1", content: "a swift")
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: [row])])
        let id = EntryID.derived(source: "s", key: "id:1")
        storage.beforeCommit.set {
            try await KnowledgeStore(storage: storage.base, embedder: LexicalEmbedder()).update(
                [id], EntryChanges(addedTags: ["seen"]))
        }
        let edited = EntryDraft(key: "id:1", content: "two swifts")
        let report = try await store.ingest([SourceDraft(id: "s", fingerprint: "2", entries: [edited])])
        #expect((report.new, report.updated) == (0, 1))
        let entry = try #require(try await storage.base.fetchEntries().first)
        #expect((entry.content, entry.tags) == ("two swifts", ["seen"]))
        #expect(!entry.embeddings.isEmpty)
    }

    @Test func `an entry that stops to match during a removal stays`() async throws {
        let storage = InterruptedStorage()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let kept = try await store.add("a heron", tags: ["draft"]).id
        try await store.add("a swift", tags: ["draft"])
        storage.beforeCommit.set {
            try await KnowledgeStore(storage: storage.base, embedder: LexicalEmbedder()).update(
                [kept], EntryChanges(removedTags: ["draft"]))
        }
        #expect(try await store.remove(matching: EntryFilter(tags: ["draft"])) == 1)
        #expect(try await storage.base.fetchEntries().map(\.id) == [kept])
    }

    @Test func `filters apply before the limit`() async throws {
        let store = store()
        var entries = (0..<300).map {
            EntryDraft(content: "swift swift swift \($0)", metadata: ["kind": "many"])
        }
        entries += (0..<5).map {
            EntryDraft(content: "a swift and much else besides \($0)", metadata: ["kind": "few"], tags: ["t"])
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: entries)])
        for filter in [EntryFilter(metadata: ["kind": "few"]), EntryFilter(tags: ["t"])] {
            let result = try await store.search("swift", matching: filter)
            #expect(result.hits.count == 5)
            #expect(result.candidateCount == 5)
        }
        #expect(
            try await store.search("swift", matching: [.tag("none")]).hits.isEmpty)
    }

    @Test func `a result has each entry once with its best passage, and search follows changes`() async throws
    {
        let store = store()
        let filler = String(repeating: "grain of sand and salt. ", count: 120)
        _ = try await store.ingest([draft("long", [filler + "The kestrel hovered over the verge. " + filler])]
        )
        _ = try await store.add("something else")
        let entry = try #require(try await store.storage.fetchEntries().first)
        #expect(entry.passages.count > 3)
        let hit = try #require(try await store.search("kestrel hovered verge").hits.first)
        #expect(hit.entry.id == entry.id)
        #expect(entry.text(of: hit.passage)?.contains("kestrel") == true)
        var search = EntrySearch("kestrel")
        #expect(try await store.search(search).hits.map(\.entry.id) == [entry.id])
        search.includesAll = true
        #expect(try await store.search(search).hits.count == 2)
        _ = try await store.add("kestrel kestrel hovered verge")
        #expect(
            try await store.search("kestrel hovered verge").hits.first?.entry.content
                == "kestrel kestrel hovered verge")
        try await store.storage.deleteEntry(entry.id)
        #expect(try await store.search(search).hits.count == 2)
    }

    @Test func `reclustering continues from the last run unless another seed or a full run is requested`()
        async throws
    {
        let store = store()
        let words = ["bread oven dough flour", "boat sail wind keel", "star moon planet orbit"]
        let drafts = (0..<90).map { EntryDraft(content: "\(words[$0 % 3]) \($0)") }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let first = try await store.recluster()
        #expect(first.run.algorithm == "leiden" && first.clusters.count >= 3)
        let again = try await store.recluster()
        func creations(_ run: ReclusterReport) -> [Cluster.ID: Date] {
            Dictionary(uniqueKeysWithValues: run.clusters.map { ($0.id, $0.createdAt) })
        }
        #expect(creations(again) == creations(first))
        #expect(again.run.parameters["gap"] == nil)
        _ = try await store.add("bread oven dough flour once more")
        let after = try await store.recluster()
        #expect(after.continuedCount >= 3)
        #expect(after.clusters.map(\.members.count).reduce(0, +) + after.outlierCount == 91)
        // The resolution is chosen again for a run with another seed, and for a full run.
        #expect(try await store.recluster(seed: 8).run.parameters["gap"] != nil)
        #expect(try await store.recluster(seed: 8, ignoringPreviousRun: true).run.parameters["gap"] != nil)
    }

    @Test func `a storage is closed again if its model cannot be opened`() async throws {
        let folder = TemporaryFolder.unusedURL()
        try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder()).close()
        await #expect(throws: EmbedderError.self) {
            try await KnowledgeStore.open(at: folder) { _ in throw EmbedderError(.modelNotFound, "missing") }
        }
        #if os(Linux)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(!files.contains { $0.contains(folder.lastPathComponent) }, "\(files)")
        #endif
        let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        #expect(try await store.add("a text").isNew)
        try await store.close()
    }

    @Test func `a folder in the format of the published guide opens`() async throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let id = UUID()
        let json = "[{\"id\": \"\(id)\", \"content\": \"text\", \"embeddings\": [0.5, 0.25]}]"
        try Data(json.utf8).write(to: folder.appendingPathComponent("entries.json"))
        let cluster =
            "[{\"id\": \"\(UUID())\", \"label\": \"c\", \"members\": [\"\(id)\"], \"createdAt\": \"2024-01-02T03:04:05Z\"}]"
        try Data(cluster.utf8).write(to: folder.appendingPathComponent("clusters.json"))
        let storage = try LocalStorageProvider(directory: folder)
        #expect(try await storage.fetchEntries().map(\.embeddings) == [[0.5, 0.25]])
        #expect(try await storage.fetchClusters()[0].members == [id])
        #expect(try await storage.fetchClusters()[0].createdAt == Date(timeIntervalSince1970: 1_704_164_645))
        try await storage.saveEntry(Entry(content: "more", embeddings: [1, 0]))
        let data = try Data(contentsOf: folder.appendingPathComponent("entries.json"))
        #expect(try JSONDecoder().decode([Entry].self, from: data).map(\.content) == ["text", "more"])
        #expect(try await LocalStorageProvider(directory: folder).fetchEntries().count == 2)
    }
}
