import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of searches for words, phrases and prefixes in the fields of entries.
@Suite(.temporaryFolders) struct FieldQueryTests {
    private let folder = TemporaryFolder.unusedURL()

    private func store() async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let files = [
            ("birds/kestrel-notes.md", "They hover over the verge in the wind."),
            ("birds/herons.md", "They stand in the shallow water."),
            ("boats.md", "# Keel repairs\n\nThe hull needs paint in the spring."),
        ]
        let sources = files.map { path, text in
            SourceDraft(
                id: "file:///notes/\(path)", fingerprint: "1",
                entries: [EntryDraft(key: EntryID.wholeFileKey, content: text)])
        }
        _ = try await store.ingest(sources)
        try await store.add("A map of the harbour.", tags: ["old maps"])
        return store
    }

    /// Returns the first words of the entries that a query finds.
    private func found(_ query: String, _ store: KnowledgeStore) async throws -> [String] {
        var search = EntrySearch(query)
        search.includesAll = true
        let hits = try await store.search(search).hits
        return hits.map { String($0.entry.content.prefix(10)) }
    }

    @Test func `words of paths, titles and tags are excluded, required and completed`() async throws {
        let store = try await store()
        let (kestrel, heron, boat, map) = ("They hover", "They stand", "# Keel rep", "A map of t")
        #expect(try await Set(found("the -birds", store)) == [boat, map])
        #expect(try await Set(found("the -\"kestrel notes\"", store)) == [heron, boat, map])
        #expect(try await found("\"keel repairs\"", store) == [boat])
        #expect(try await found("\"birds herons\"", store) == [heron])
        #expect(try await found("\"old maps\"", store) == [map])
        #expect(try await found("kest*", store).first == kestrel)
        let corrected = try await store.search("kestrle")
        #expect(corrected.corrections.map(\.corrected) == ["kestrel"])
        #expect(corrected.hits.first?.entry.content.hasPrefix(kestrel) == true)
    }

    @Test func `pages are counted by form feeds`() async throws {
        var entry = Entry(content: "one\n\u{0C}two kestrels\n\u{0C}three")
        entry.location = EntryLocation(line: 1, page: 4)
        #expect([0, 4, 5, 18].map { entry.location(ofByte: $0).page } == [4, 4, 5, 5])
        #expect(entry.location(ofByte: 19).page == 6 && entry.location(ofByte: .max).page == 6)
        entry.location = EntryLocation(line: 1)
        #expect(entry.location(ofByte: 19).page == nil)
    }
}
