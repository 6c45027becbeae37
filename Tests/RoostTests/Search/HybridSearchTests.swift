import Foundation
import Testing

@testable import Roost

/// Tests of searches that combine meaning and words.
@Suite struct HybridSearchTests {
    private let words = [
        "swift", "boats", "bread", "roof", "paint", "night", "sea", "bird", "oven", "oar", "painting",
        "painted",
    ]

    private func drafts(_ count: Int, seed: UInt64 = 1) -> [EntryDraft] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let chosen = (0..<7).map { _ in words[generator.nextIndex(below: words.count)] }
            return EntryDraft(
                key: "\(number)", content: chosen.joined(separator: " ") + " n\(number)",
                metadata: ["number": .integer(Int64(number))])
        }
    }

    private func store(_ count: Int = 300) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts(count))])
        return store
    }

    private func emptyStore() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    private func search(
        _ text: String, _ mode: SearchMode = .hybrid, limit: Int = 10, offset: Int = 0
    ) -> EntrySearch {
        var search = EntrySearch(text, limit: limit)
        search.mode = mode
        search.offset = offset
        // These tests are about complete lists; `RelevanceTests` tests the noise level.
        search.includesAll = true
        return search
    }

    private let query = "paint the sea at night"

    @Test func `a hybrid search orders entries by a score from both lists`() async throws {
        let store = try await store()
        let vector = try await store.search(search(query, .vector, limit: 200)).hits
        let text = try await store.search(search(query, .text, limit: 200)).hits
        let hits = try await store.search(search(query, limit: 20)).hits
        #expect(hits.map(\.rank) == Array(1...20))
        let words = Dictionary(uniqueKeysWithValues: text.map { ($0.id, $0.textScore) })
        #expect(hits.allSatisfy { $0.textScore == words[$0.id] ?? nil })
        #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
        let cosines = Dictionary(uniqueKeysWithValues: vector.map { ($0.entry.id, $0.similarity) })
        #expect(
            text.allSatisfy { hit in cosines[hit.entry.id].map { $0 == hit.similarity } ?? true },
            "the similarity is the cosine, also of an entry that was found by words")
    }

    @Test(arguments: SearchMode.allCases)
    func `pages of a result have the same order as the complete result`(mode: SearchMode) async throws {
        let store = try await store()
        let all = try await store.search(search(query, mode, limit: 300)).hits
        #expect(all.count == (mode == .text ? all.count : 300))
        let complete = search(query, mode, limit: 60)
        let expected = try await store.search(complete).hits
        #expect(expected.map(\.entry.id) == all.prefix(60).map(\.entry.id))
        var paged: [QueryHit] = []
        for start in stride(from: 0, to: 60, by: 7) {
            var page = complete
            page.offset = start
            page.limit = 7
            paged += try await store.search(page).hits
        }
        #expect(paged.prefix(60).map(\.entry.id) == expected.map(\.entry.id))
        #expect(paged.map(\.rank) == Array(1...63).prefix(paged.count).map(\.self))
        #expect(try await store.search(search("sea", mode, limit: 0)).hits.isEmpty)
        #expect(try await store.search(search("sea", mode, offset: .max)).hits.isEmpty)
        let afterFirst = try await store.search(search("sea", mode, limit: .max, offset: 1)).hits
        #expect(afterFirst.first?.rank == 2 && afterFirst.count == (mode == .text ? afterFirst.count : 299))
    }

    @Test func `query operators exclude entries from both lists`() async throws {
        let store = try await store()
        func contents(_ query: String, _ mode: SearchMode = .hybrid) async throws -> [String] {
            try await store.search(search(query, mode, limit: 300)).hits.map(\.entry.content)
        }
        let all = try await store.storage.fetchEntries().map(\.content)
        #expect(try await Set(contents("\"bread roof\"")) == Set(all.filter { $0.contains("bread roof") }))
        #expect(try await Set(contents("sea -bread")) == Set(all.filter { !$0.contains("bread") }))
        #expect(try await Set(contents("n12*", .text)) == Set(all.filter { $0.contains(" n12") }))
        // A word matches its other forms; a prefix matches exactly what is written.
        #expect(try await contents("paints", .text).count == all.count { $0.contains("paint") })
        #expect(try await contents("painti*", .text).count == all.count { $0.contains("painting") })
        #expect(try await Set(contents("-bread sea", .vector)) == Set(all.filter { !$0.contains("bread") }))
    }

    @Test func `a query without searchable words finds entries by meaning`() async throws {
        let store = try await store()
        for query in ["???", "* \"\"", "the of and", "知識", "\u{0}"] {
            let hits = try await store.search(search(query, limit: 300)).hits
            #expect(hits.count == 300, "\(query.debugDescription)")
        }
        #expect(try await emptyStore().search("sea -bread \"a b\"").hits.isEmpty)
    }

    @Test func `a query of a million characters is answered`() async throws {
        let store = try await store(20)
        let many = (0..<120_000).map { "w\($0)" }.joined(separator: " ")
        for query in [
            many, String(repeating: "\u{201C} ", count: 200_000),
            String(repeating: "-\"", count: 200_000) + " a",
            String(repeating: "a", count: 1_000_000), String(repeating: "sea ", count: 250_000),
        ] {
            let result = try await store.search(query)
            #expect(result.hits.count <= 10)
        }
        #expect(try await store.search(many).notices.contains { $0.message.contains("different words") })
    }

    /// A store with three texts that differ only in case and punctuation, and two other texts.
    private func storeWithDuplicates() async throws -> KnowledgeStore {
        let store = emptyStore()
        let texts = [
            "boat at sea", "boat at sea.", "Boat at sea!", "bread in the oven", "a boat on the roof",
        ]
        for text in texts { try await store.add(text) }
        return store
    }

    @Test func `a search by entries or by a document finds similar entries`() async throws {
        let store = try await storeWithDuplicates()
        let ids = try await store.storage.fetchEntries().prefix(2).map(\.id)
        let similar = try await store.search(EntrySearch(.entries(ids), limit: 2)).hits
        #expect(similar.first?.entry.content == "Boat at sea!" && similar.count == 2)
        let document = try await store.search(EntrySearch(.document("oven bread"))).hits
        #expect(document.first?.entry.content == "bread in the oven")
    }

    /// Returns a text with about four passages that have no words in common.
    private func longText(_ name: String) -> String {
        (0..<800).map { "\(name)\($0)" }.joined(separator: " ")
    }

    @Test func `an equal text of several passages is the most similar one`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let text = longText("quill")
        let id = try await store.add(text).id
        let copy = try await store.add(text + " ").id
        // Entries whose only passage is nearer to the mean of the text than its own passages are.
        for number in 0..<20 {
            try await store.add(
                (0..<200).map { "quill\(4 * $0 + number % 4)" }.joined(separator: " ") + " \(number)")
        }
        var search = EntrySearch(.document(text), limit: 2)
        let equal = try await store.search(search).hits
        #expect(Set(equal.map(\.entry.id)) == [id, copy])
        #expect(equal.allSatisfy { $0.similarity > 0.99 && $0.score > 0.99 && $0.explanation.entry > 0.9 })
        search.subject = .entries([id])
        search.limit = 1
        let similar = try await store.search(search).hits
        #expect(similar.map(\.entry.id) == [copy])
        #expect(similar.allSatisfy { $0.similarity > 0.99 })
        // A query is still compared with the passages.
        search.subject = .document("quill1 quill2 quill3")
        #expect(try await store.search(search).hits.first.map { $0.similarity < 0.9 } == true)
    }

    @Test(arguments: SearchMode.allCases)
    func `a search lists several passages of an entry`(mode: SearchMode) async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        // The words are in the first and in the last passage of about nine.
        let middle = (0..<1400).map { "filler\($0)" }.joined(separator: " ")
        let book = try await store.add("walrus tusk walrus tusk \(middle) walrus tusk walrus tusk").id
        for number in 0..<20 { try await store.add("note \(number) about pebble\(number)") }
        var search = search("walrus tusk", mode, limit: 3)
        #expect(try await store.search(search).hits.filter { $0.id == book }.count == 1)
        search.listsPassages = true
        search.includesAll = true
        let result = try await store.search(search)
        let hits = result.hits.filter { $0.id == book }
        #expect(Set(hits.map(\.passage.ordinal)).count == hits.count && hits.count >= 2)
        let last = try #require(hits.map(\.entry.passages.count).first) - 1
        #expect(Set(hits.prefix(2).map(\.passage.ordinal)) == [0, last])
        #expect(result.hits.map(\.rank) == Array(1...result.hits.count))
        for hit in hits { #expect(hit.passage.utf8Range.contains(result.snippet(of: hit).anchor)) }
    }

    @Test func `groups of near-duplicates begin with the oldest entry`() async throws {
        let store = try await storeWithDuplicates()
        let first = try await store.storage.fetchEntries()[0]
        let groups = try await store.duplicates(threshold: 0.99)
        #expect(groups.map(\.entries.count) == [3] && groups[0].entries[0] == first.id)
        #expect(groups[0].scores.allSatisfy { $0 > 0.98 })
        await #expect(throws: RoostError.self) { try await store.duplicates(threshold: 0) }
    }

    @Test func `the minimum score also applies to hits found by words`() async throws {
        let store = try await store()
        for mode in SearchMode.allCases {
            var limited = search(query, mode, limit: 300)
            let all = try await store.search(limited).hits
            limited.minimumScore = 0.3
            let found = try await store.search(limited).hits
            #expect(found.map(\.entry.id) == all.filter { $0.score >= 0.3 }.map(\.entry.id))
            limited.limit = 5
            let best = try await store.search(limited).hits
            #expect(best.map(\.rank) == Array(1...min(5, max(1, found.count))))
            limited.minimumScore = 2
            #expect(try await store.search(limited).hits.isEmpty)
        }
    }

    @Test(arguments: SearchMode.allCases)
    func `searches that run together have the same results as single ones`(mode: SearchMode) async throws {
        let store = try await store(700)
        var generator = SeededGenerator(seed: 5)
        let searches = (0..<600).map { number in
            let chosen = (0..<3).map { _ in words[generator.nextIndex(below: words.count)] }
            let text = chosen.joined(separator: " ")
            return search(number % 5 == 0 ? text + " -bread" : text, mode)
        }
        let together = try await store.search(searches)
        #expect(together.count == 600)
        for (index, result) in together.enumerated() where index % 37 == 0 {
            let alone = try await store.search(searches[index])
            #expect(alone.hits.map(\.entry.id) == result.hits.map(\.entry.id))
            #expect(alone.hits.map(\.score) == result.hits.map(\.score))
        }
        #expect(try await store.search([]).isEmpty)
        await #expect(throws: RoostError.self) {
            try await store.search(["sea", " "].map { EntrySearch($0) })
        }
    }

    @Test func `changes are delivered as they are committed`() async throws {
        let store = try await store(3)
        var all = try await store.changes(after: .start).makeAsyncIterator()
        let first = try #require(try await all.next())
        #expect(first.changes.count == 3)
        var later = try await store.changes().makeAsyncIterator()
        let added = try await store.add("something new")
        let batch = try #require(try await later.next())
        #expect(batch.changes.map(\.kind) == [.upserted(added.id)])
        #expect(try await all.next()?.changes == batch.changes)
        let waiting = Task { () -> Bool in
            var iterator = try await store.changes().makeAsyncIterator()
            _ = try await iterator.next()
            return true
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await store.storage.renewEpoch()
        await #expect(throws: StorageError.self) { try await all.next() }
    }

    /// A custom provider that does not check what it stores.
    private actor UncheckedStorage: SimpleStorageProvider {
        var entries: [Entry]

        init(_ entries: [Entry]) { self.entries = entries }

        func saveEntry(_ entry: Entry) async throws { entries.append(entry) }
        func fetchEntries() async throws -> [Entry] { entries }
        func updateCluster(_ cluster: Cluster) async throws {}
        func fetchClusters() async throws -> [Cluster] { [] }
    }

    @Test func `vectors with numbers that are not finite are excluded`() async throws {
        let all = VectorPage(
            rows: [1, 2, 3, 4], ids: (0..<4).map { _ in UUID() }, ordinals: [0, 0, 1, 0],
            vectors: Matrix(rows: 4, columns: 2, elements: [1, 0, .nan, 0, 0, -.infinity, 0, 1]), next: 4)
        let (ids, page) = (all.ids, all.comparable)
        #expect(page.rows == [1, 4] && page.ids == [ids[0], ids[3]] && page.ordinals == [0, 0])
        #expect(page.vectors.elements == [1, 0, 0, 1] && page.next == 4)

        var entry = Entry(content: "a boat at sea", embeddings: [Float](repeating: 0.1, count: 512))
        entry.embeddings[3] = .nan
        let store = KnowledgeStore(storage: UncheckedStorage([entry]), embedder: LexicalEmbedder())
        await #expect {
            try await store.search("boat")
        } throws: {
            ($0 as? StorageError).map { "\($0)".contains(entry.id.uuidString.lowercased()) } ?? false
        }
    }
}
