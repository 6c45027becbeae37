import Foundation
import Testing

@testable import Roost

/// Searches by meaning and words together, in every store.
@Suite struct HybridSearchTests {
    private let words = [
        "swift", "boats", "bread", "roof", "paint", "night", "sea", "bird", "oven", "oar", "painting",
        "painted",
    ]

    private func drafts(_ count: Int, seed: UInt64 = 1) -> [EntryDraft] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let some = (0..<7).map { _ in words[generator.nextIndex(below: words.count)] }
            return EntryDraft(
                key: "\(number)", content: some.joined(separator: " ") + " n\(number)",
                metadata: ["number": .integer(Int64(number))])
        }
    }

    private func store(_ count: Int = 300) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts(count))])
        return store
    }

    private func options(_ mode: SearchMode = .hybrid, limit: Int = 10, offset: Int = 0) -> QueryOptions {
        var options = QueryOptions(limit: limit)
        options.mode = mode
        options.offset = offset
        return options
    }

    @Test func `both lists count, by their ranks`() async throws {
        let store = try await store()
        let query = "paint the sea at night"
        let vector = try await store.query(query, options(.vector, limit: 200)).hits
        let text = try await store.query(query, options(.text, limit: 200)).hits
        let hits = try await store.query(query, options(limit: 20)).hits
        func place(_ id: UUID, _ list: [QueryHit]) -> Int? {
            list.firstIndex { $0.entry.id == id }.map { $0 + 1 }
        }
        for (number, hit) in hits.enumerated() {
            #expect(hit.rank == number + 1)
            let fused = [place(hit.entry.id, vector), place(hit.entry.id, text)].compactMap(\.self)
                .reduce(Float(0)) { $0 + 1 / (60 + Float($1)) }
            #expect(abs(hit.fused - fused) < 1e-6)
            #expect(hit.textRank == place(hit.entry.id, text))
        }
        #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.fused >= $1.fused })
        // The score is the cosine, whatever found the entry.
        let cosines = Dictionary(uniqueKeysWithValues: vector.map { ($0.entry.id, $0.score) })
        #expect(text.allSatisfy { hit in cosines[hit.entry.id].map { $0 == hit.score } ?? true })
    }

    @Test(arguments: SearchMode.allCases) func `pages follow each other`(mode: SearchMode) async throws {
        let store = try await store()
        let all = try await store.query("paint the sea at night", options(mode, limit: 300)).hits
        #expect(all.count == (mode == .text ? all.count : 300))
        for variant in 0..<3 {
            var whole = options(mode, limit: 60)
            if variant == 1 { whole.diversity = 0.5 }
            if variant == 2 { whole.duplicateThreshold = 0.9 }
            let expected = try await store.query("paint the sea at night", whole).hits
            if variant == 0 { #expect(expected.map(\.entry.id) == all.prefix(60).map(\.entry.id)) }
            var paged: [QueryHit] = []
            for start in stride(from: 0, to: 60, by: 7) {
                var page = whole
                (page.offset, page.limit) = (start, 7)
                paged += try await store.query("paint the sea at night", page).hits
            }
            #expect(paged.prefix(60).map(\.entry.id) == expected.map(\.entry.id))
            #expect(paged.map(\.rank) == Array(1...63).prefix(paged.count).map(\.self))
        }
        #expect(try await store.query("sea", options(mode, limit: 0)).hits.isEmpty)
        #expect(try await store.query("sea", options(mode, offset: .max)).hits.isEmpty)
        let most = try await store.query("sea", options(mode, limit: .max, offset: 1)).hits
        #expect(most.first?.rank == 2 && most.count == (mode == .text ? most.count : 299))
    }

    @Test func `signs leave entries out of both lists`() async throws {
        let store = try await store()
        func contents(_ query: String, _ mode: SearchMode = .hybrid) async throws -> [String] {
            try await store.query(query, options(mode, limit: 300)).hits.map(\.entry.content)
        }
        let all = try await store.storage.fetchEntries().map(\.content)
        #expect(try await Set(contents("\"bread roof\"")) == Set(all.filter { $0.contains("bread roof") }))
        #expect(try await Set(contents("sea -bread")) == Set(all.filter { !$0.contains("bread") }))
        #expect(
            try await Set(contents("n12*", .text)) == Set(all.filter { $0.contains(" n12") }),
            "the beginning of a word")
        // Forms of a word are found by each other; a beginning means what is written.
        #expect(try await contents("paints", .text).count == all.count { $0.contains("paint") })
        #expect(try await contents("painti*", .text).count == all.count { $0.contains("painting") })
        #expect(try await contents("-bread sea", .vector).count == 300, "a vector takes the text as it is")
        for query in ["???", "* \"\"", "the of and", "知識", "\u{0}"] {
            #expect(try await contents(query).count == 300, "\(query.debugDescription)")
        }
        for query in ["", " \n", "-bread", "-bread -\"a b\""] {
            await #expect(throws: RoostError.self, "\(query)") { try await store.query(query) }
        }
        let empty = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        #expect(try await empty.query("sea -bread \"a b\"").hits.isEmpty)
    }

    @Test func `a million letters are answered`() async throws {
        let store = try await store(20)
        let many = (0..<120_000).map { "w\($0)" }.joined(separator: " ")
        for query in [
            many, String(repeating: "\u{201C} ", count: 200_000),
            String(repeating: "-\"", count: 200_000) + " a",
            String(repeating: "a", count: 1_000_000), String(repeating: "sea ", count: 250_000),
        ] {
            let result = try await store.query(query)
            #expect(result.hits.count <= 10)
        }
        #expect(try await store.query(many).notices.contains { $0.contains("different words") })
    }

    @Test func `an entry of one word many times is searched for phrases quickly`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        try await store.add(String(repeating: "0 ", count: 200_000))
        #expect(try await store.query("\"0 0 0\"").hits.count == 1)
        #expect(try await store.query("\"0 1\"").hits.isEmpty)
    }

    @Test func `nearly equal entries are folded or put apart`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let texts = [
            "boat at sea", "boat at sea.", "Boat at sea!", "bread in the oven", "a boat on the roof",
        ]
        for text in texts { try await store.add(text) }
        var folded = options()
        folded.duplicateThreshold = 0.99
        for mode in SearchMode.allCases {
            folded.mode = mode
            let hits = try await store.query("boat at sea", folded).hits
            #expect(hits[0].duplicates.count == 2)
            #expect(hits.count == (mode == .text ? 2 : 3))
        }
        var diverse = options(.vector, limit: 2)
        diverse.diversity = 0.6
        let hits = try await store.query("boat at sea", diverse).hits
        #expect(hits[0].entry.content.lowercased().hasPrefix("boat at sea"))
        #expect(!hits[1].entry.content.lowercased().hasPrefix("boat at sea"))

        // What an entry is nearly equal to is found, although the entry itself is no hit.
        let first = try await store.storage.fetchEntries()[0]
        folded.mode = .hybrid
        let similar = try await store.similar(to: first.id, folded).hits
        #expect(similar[0].duplicates.count == 1 && similar.count == 3)
        #expect(similar.allSatisfy { $0.entry.id != first.id })
        let several = try await store.similar(
            to: store.storage.fetchEntries().prefix(2).map(\.id), options(limit: 2))
        #expect(several.hits.first?.entry.content == "Boat at sea!" && several.hits.count == 2)
        #expect(
            try await store.similar(toText: "oven bread").hits.first?.entry.content == "bread in the oven")

        let groups = try await store.duplicates(threshold: 0.99)
        #expect(groups.map(\.entries.count) == [3] && groups[0].entries[0] == first.id)
        #expect(groups[0].scores.allSatisfy { $0 > 0.98 })
        await #expect(throws: RoostError.self) { try await store.duplicates(threshold: 0) }
    }

    @Test func `a least score is a cosine, for words too`() async throws {
        let store = try await store()
        for mode in SearchMode.allCases {
            var some = options(mode, limit: 300)
            let all = try await store.query("paint the sea at night", some).hits
            some.minimumScore = 0.3
            let found = try await store.query("paint the sea at night", some).hits
            #expect(found.map(\.entry.id) == all.filter { $0.score >= 0.3 }.map(\.entry.id))
            some.limit = 5
            #expect(
                try await store.query("paint the sea at night", some).hits.map(\.rank) == [1, 2, 3, 4, 5])
            some.minimumScore = 2
            #expect(try await store.query("paint the sea at night", some).hits.isEmpty)
        }
    }

    @Test func `weights shift what counts, and must mean something`() async throws {
        let store = try await store()
        var weighted = options(limit: 30)
        weighted.textWeight = 0
        let vector = try await store.query("sea night", options(.vector, limit: 30)).hits.map(\.score)
        let found = try await store.query("sea night", weighted).hits.map(\.score)
        #expect(zip(found, vector).allSatisfy { abs($0 - $1) < 1e-5 })
        for (one, other) in [(0, 0), (-1, 1), (1, .nan), (.infinity, 1)] as [(Float, Float)] {
            (weighted.vectorWeight, weighted.textWeight) = (one, other)
            await #expect(throws: RoostError.self) { try await store.query("sea", weighted) }
        }
    }

    @Test(arguments: SearchMode.allCases) func `many at once find what each finds`(mode: SearchMode)
        async throws
    {
        let store = try await store(700)
        var generator = SeededGenerator(seed: 5)
        let queries = (0..<600).map { number in
            let some = (0..<3).map { _ in words[generator.nextIndex(below: words.count)] }.joined(
                separator: " ")
            return number % 5 == 0 ? some + " -bread" : some
        }
        let together = try await store.query(all: queries, options(mode))
        #expect(together.count == 600)
        for (query, result) in zip(queries, together).enumerated() where query % 37 == 0 {
            let alone = try await store.query(result.0, options(mode))
            #expect(alone.hits.map(\.entry.id) == result.1.hits.map(\.entry.id))
            #expect(alone.hits.map(\.score) == result.1.hits.map(\.score))
        }
        #expect(try await store.query(all: []).isEmpty)
        await #expect(throws: RoostError.self) { try await store.query(all: ["sea", " "]) }
    }

    @Test func `a search is put together step by step`() async throws {
        let store = try await store()
        let search = store.search(for: "paint the sea").where(.metadata("number"), .isLess("50")).limit(5)
        let hits = try await search.hits()
        #expect(hits.count == 5)
        #expect(
            hits.allSatisfy { $0.entry.metadata["number"].map { $0.text.flatMap(Int.init) ?? 99 } ?? 99 < 50 }
        )
        #expect(try await search.offset(2).limit(2).hits().map(\.rank) == [3, 4])
        #expect(try await search.hits() == hits, "a step leaves the search before as it is")
        #expect(try await store.search(near: hits[0].entry.id).limit(3).hits().count == 3)
        #expect(
            try await store.search(near: hits[0].entry.embeddings).limit(1).hits().first?.score ?? 0 > 0.99)
        #expect(try await search.tagged("none").result().candidateCount == 0)
        #expect(try await search.updated(in: .distantPast..<Date(timeIntervalSince1970: 0)).hits().isEmpty)
    }

    @Test func `changes come as they are made`() async throws {
        let store = try await store(3)
        var known = try await store.changes(after: .start).makeAsyncIterator()
        let first = try #require(try await known.next())
        #expect(first.changes.count == 3)
        var coming = try await store.changes().makeAsyncIterator()
        let added = try await store.add("something new")
        let batch = try #require(try await coming.next())
        #expect(batch.changes.map(\.kind) == [.upserted(added.id)])
        #expect(try await known.next()?.changes == batch.changes)
        let waiting = Task { () -> Bool in
            var iterator = try await store.changes().makeAsyncIterator()
            _ = try await iterator.next()
            return true
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await store.storage.renewEpoch()
        await #expect(throws: StorageError.self) { try await known.next() }
    }

    /// A backend of somebody's own, which does not look at what it keeps.
    private actor Careless: SimpleStorageProvider {
        var entries: [Entry]

        init(_ entries: [Entry]) { self.entries = entries }

        func saveEntry(_ entry: Entry) async throws { entries.append(entry) }
        func fetchEntries() async throws -> [Entry] { entries }
        func updateCluster(_ cluster: Cluster) async throws {}
        func fetchClusters() async throws -> [Cluster] { [] }
    }

    @Test func `vectors that are no numbers are said and left out`() async throws {
        var page = VectorPage(
            rows: [1, 2, 3, 4], ids: (0..<4).map { _ in UUID() }, ordinals: [0, 0, 1, 0],
            vectors: Matrix(rows: 4, columns: 2, elements: [1, 0, .nan, 0, 0, -.infinity, 0, 1]), next: 4)
        let ids = page.ids
        #expect(page.removeIncomparable() == 2 && page.removeIncomparable() == 0)
        #expect(page.rows == [1, 4] && page.ids == [ids[0], ids[3]] && page.ordinals == [0, 0])
        #expect(page.vectors.elements == [1, 0, 0, 1] && page.next == 4)

        var entry = Entry(content: "a boat at sea", embeddings: [Float](repeating: 0.1, count: 512))
        entry.embeddings[3] = .nan
        let store = KnowledgeStore(storage: Careless([entry]), embedder: LexicalEmbedder())
        await #expect {
            try await store.query("boat")
        } throws: {
            ($0 as? StorageError).map { "\($0)".contains(entry.id.uuidString.lowercased()) } ?? false
        }
    }
}
