import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of searches for words, phrases and prefixes in the fields of entries, and of phrases that no entry
/// contains.
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
        let corrected = try await store.query("kestrle")
        #expect(corrected.corrections.map(\.corrected) == ["kestrel"])
        #expect(corrected.hits.first?.entry.content.hasPrefix(kestrel) == true)
    }

    @Test func `a required phrase that no entry contains is text, and is reported`() async throws {
        let store = try await store()
        let result = try await store.query("who hovers \"above the verge\"")
        #expect(result.hits.first?.entry.content.hasPrefix("They hover") == true)
        #expect(result.text?.unmatchedPhrases == ["above the verge"])
        let kept = try await store.query("\"hover over\" \"above the verge\"")
        #expect(kept.text?.unmatchedPhrases == ["above the verge"] && kept.hits.count == 1)
        // Each phrase occurs, but no entry contains both.
        let neither = try await store.query("\"hover over\" \"shallow water\"")
        #expect(neither.text?.unmatchedPhrases == ["hover over", "shallow water"])
        #expect(neither.hits.count == 2)
        #expect(try await store.query("\"over the verge\"").text?.unmatchedPhrases == [])
        // The filter and exclusions decide which entries count.
        let excluded = try await store.query("\"over the verge\" -wind water")
        #expect(excluded.text?.unmatchedPhrases == ["over the verge"])
        #expect(!excluded.hits.contains { $0.entry.content.hasPrefix("They hover") })
        let filtered = try await store.query("\"over the verge\" water", matching: [.tag("old maps")])
        #expect(filtered.text?.unmatchedPhrases == ["over the verge"])
    }

    @Test func `a word with a hyphen is text if a title contains it after the word before it`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        try await store.add("Change the last commit.", metadata: ["title": "git commit -amend"])
        #expect(try await store.query("commit -amend").text?.exclusions == [])
        #expect(try await store.query("commit -all").text?.exclusions == ["all"])
    }

    @Test func `entries that do not match the filter have no effect on a word with a hyphen`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        try await store.add("git commit -amend changes the last commit", tags: ["private"])
        try await store.add("git commit changes the history", tags: ["work"])
        let searches = ["private", "work"].map { EntrySearch("commit -amend", matching: [.tag($0)]) }
        let results = try await store.search(searches)
        #expect(results.map { $0.text?.exclusions } == [[], ["amend"]])
        #expect(try await store.parsedQuery("commit -amend").exclusions == [])
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
