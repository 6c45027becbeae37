import Foundation
import Roost
import TestSupport
import Testing

/// Indexes of words that earlier versions wrote: `words-1` with English stems only, `words-3` without the
/// positions of words in titles, headings, paths and tags.
@Suite(.temporaryFolders) struct WordIndexFormatTests {
    private let folder = TemporaryFolder.unusedURL()

    private func open(_ version: String = "words-1") async throws -> KnowledgeStore {
        if !FileManager.default.fileExists(atPath: folder.path) {
            let fixture = Fixtures.folder.appendingPathComponent("Formats/\(version)")
            try FileManager.default.copyItem(at: fixture, to: folder)
        }
        return try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
    }

    private var words: URL { folder.appendingPathComponent("index/words") }

    private func first(_ query: String, in store: KnowledgeStore) async throws -> String? {
        var search = EntrySearch(query)
        search.mode = .text
        let result = try await store.search(search)
        #expect(result.notices.isEmpty)
        return result.hits.first?.entry.content
    }

    @Test func `the first query replaces the index, and all queries are answered`() async throws {
        let store = try await open()
        let old = try Data(contentsOf: words)
        #expect(try await store.indexDescription() == nil, "the old index is not used")
        // Neither word is found by the English stems of the old index.
        #expect(try await first("Nistkasten", in: store)?.hasPrefix("Die Mauersegler") == true)
        #expect(try await first("nid d'hirondelle", in: store)?.hasPrefix("Les hirondelles") == true)
        #expect(try await first("--onto", in: store) == "git rebase --onto moves a branch")
        #expect(try Data(contentsOf: words) != old)
        #expect(try await store.indexDescription()?.entries == 5)
        try await store.close()

        let written = try Data(contentsOf: words)
        let again = try await open()
        #expect(try await first("知识", in: again) == "知识库的笔记")
        #expect(try Data(contentsOf: words) == written, "a current index is not replaced")
        try await again.close()
    }

    @Test func `an index without the positions of words in fields is replaced`() async throws {
        let store = try await open("words-3")
        #expect(try await store.indexDescription() == nil, "the old index is not used")
        #expect(try await first("\"lower river weirs\"", in: store) == "A row about weirs and locks.")
        #expect(try await first("row -\"old maps\" heron", in: store)?.hasPrefix("# Herons") == true)
        #expect(try await first("title:wei*", in: store) == "A row about weirs and locks.")
        #expect(try await store.indexDescription()?.entries == 4)
        try await store.close()
        let again = try await open("words-3")
        #expect(try await again.indexDescription()?.entries == 4, "a current index is used")
        try await again.close()
    }

    @Test func `refreshing the index replaces it`() async throws {
        let store = try await open()
        #expect(try await store.refreshIndex(minimumEntries: 1) == .written)
        #expect(try await store.indexDescription()?.entries == 5)
        #expect(try await first("Nistkästen", in: store)?.hasPrefix("Die Mauersegler") == true)
    }

    @Test func `queries are answered if the index cannot be replaced`() async throws {
        let store = try await open()
        // A folder in place of the lock makes every write fail.
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("index/lock"), withIntermediateDirectories: true)
        let old = try Data(contentsOf: words)
        #expect(try await first("Nistkasten", in: store)?.hasPrefix("Die Mauersegler") == true)
        #expect(try Data(contentsOf: words) == old)
    }
}
