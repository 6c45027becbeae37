import Foundation
import RoostText
import RoostVectors
import Testing

@testable import Roost

/// Tests of the score of hits, its parts and the noise level.
@Suite struct RelevanceTests {
    private let texts = [
        "The swifts came back in May and nest under the roof of the church.",
        "Sourdough bread rises overnight in the oven of the bakery.",
        "A sailing boat needs a deep keel in heavy seas.",
        "The database locks the table while the migration runs.",
        "Tomato seedlings are planted out after the last frost.",
        "The choir rehearses the requiem in the church on Friday.",
    ]

    private func store(_ texts: [String]) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = texts.enumerated().map { EntryDraft(key: "\($0)", content: $1) }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return store
    }

    private func all(_ text: String, _ mode: SearchMode = .hybrid) -> EntrySearch {
        var search = EntrySearch(text, limit: 100)
        search.mode = mode
        search.includesAll = true
        return search
    }

    @Test(arguments: SearchMode.allCases)
    func `scores are from 0 to 1, in the order of the list`(mode: SearchMode) async throws {
        let store = try await store(texts)
        for query in ["swifts church roof", "frost", "zebra", "The", texts[2]] {
            let hits = try await store.search(all(query, mode)).hits
            #expect(hits.allSatisfy { (0...1).contains($0.score) }, "\(query)")
            #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score }, "\(query)")
        }
    }

    /// Prefers short texts.
    private struct LengthReranker: Reranker {
        func scores(of passages: [String], for query: String) async throws -> [Float] {
            #expect(query == "church roof")
            return passages.map { 1 / Float(1 + $0.count) }
        }
    }

    @Test func `a re-ranker determines the order and the scores before the page`() async throws {
        let store = try await store(texts)
        let search = all("church roof -zebra")
        let hits = try await store.search([search], rerankedBy: LengthReranker())[0].hits
        let shortest = hits.sorted { $0.entry.content.count < $1.entry.content.count }
        #expect(hits.map(\.id) == shortest.map(\.id) && hits.map(\.rank) == Array(1...hits.count))
        #expect(try await store.search(search).hits.map(\.id) != hits.map(\.id))
        #expect(hits.allSatisfy { $0.explanation == ScoreExplanation() })
        var page = search
        (page.offset, page.limit, page.minimumScore) = (1, 2, hits[2].score)
        let part = try await store.search([page], rerankedBy: LengthReranker())[0].hits
        #expect(part == Array(hits[1...2]))
        await #expect(throws: RoostError.self) {
            try await store.search(
                [EntrySearch(.entries([hits[0].id]))], rerankedBy: LengthReranker())
        }
    }

    @Test func `the shares of the explanation add up to the score`() async throws {
        let store = try await store(texts)
        for mode in SearchMode.allCases {
            for hit in try await store.search(all("swifts nest under the church roof", mode)).hits {
                let parts = hit.explanation
                let sum =
                    parts.passage + parts.entry + parts.words + parts.phrase
                    + parts.fields.values.reduce(0, +)
                #expect(abs(sum - hit.score) < 1e-4, "\(mode) \(hit.entry.content)")
            }
        }
    }

    @Test func `unrelated queries report only the nearest entries`() async throws {
        let store = try await store(texts)
        let result = try await store.search("quantum chromodynamics lattice")
        #expect(result.hasOnlyNoise && result.hits.isEmpty)
        #expect(result.nearest.map(\.rank) == [1, 2, 3])
        let complete = try await store.search(all("quantum chromodynamics lattice"))
        #expect(complete.hits.count == texts.count && complete.nearest.isEmpty)
    }

    /// A model whose vectors all have a part in common, so that the cosine of unrelated texts is 0.6.
    private struct SimilarTexts: Embedder {
        let space = EmbeddingSpace(model: "similar", revision: "1", dimension: 513, pooling: "mean")
        let maximumTokens: Int? = nil

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            let vectors = try await LexicalEmbedder().embed(texts, as: role).vectors
            let rows = (0..<vectors.rows).map { row in
                vectors.row(row).map { $0 * Float(0.4).squareRoot() } + [Float(0.6).squareRoot()]
            }
            return Embeddings(vectors: Matrix(rows, columns: 513))
        }
    }

    @Test func `a model that gives all texts a high cosine has a noise level`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: SimilarTexts())
        // Texts without common words: the sample of pairs must outweigh the prior.
        let drafts = (0..<150).map {
            EntryDraft(key: "\($0)", content: "\($0 * 7919 % 9973) \($0 * 104_729 % 99_991)")
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let result = try await store.search("quantum chromodynamics lattice")
        #expect(result.hasOnlyNoise && result.nearest[0].similarity > 0.5)
        #expect(try await store.search(EntrySearch(drafts[7].content)).hits[0].score == 1)
    }

    @Test func `a list ends before the first unrelated entry, unless all hits are requested`() async throws {
        let store = try await store(texts)
        let query = "swifts nest under the church roof"
        let everything = try await store.search(all(query)).hits
        #expect(everything.count == texts.count && everything[2].score > 0)
        var search = EntrySearch(query, limit: 100)
        let hits = try await store.search(search).hits
        // The third entry has a positive score, but no word of the query and a cosine near 0.
        #expect(hits.map(\.entry.content) == [texts[0], texts[5]])
        // Pages do not change the end of the list.
        search.offset = 1
        #expect(try await store.search(search).hits.map(\.entry.id) == hits.dropFirst().map(\.entry.id))
    }

    @Test func `a filter does not change the scores by words`() async throws {
        let store = try await store(texts)
        var search = all("the swifts under the church roof", .text)
        let hits = try await store.search(search).hits
        search.filter = EntryFilter(ids: [hits[1].id])
        #expect(try await store.search(search).hits.map(\.score) == [hits[1].score])
    }

    @Test func `words of the title count more than words of the body`() async throws {
        let body = "A note about the weather of last week, with remarks on wind and rain near the coast."
        let store = try await store([
            "# Lighthouse\n\n" + body, body + " Lighthouse.",
            "Something else about bread and other things that rise in the oven.",
        ])
        let hits = try await store.search(all("lighthouse", .text)).hits
        #expect(hits.count == 2 && hits[0].entry.content.hasPrefix("#"))
        #expect((hits[0].explanation.fields[.title] ?? 0) > 0)
        #expect(hits[1].explanation.fields.isEmpty)
    }

    @Test func `a text whose title is the query comes first`() async throws {
        let store = try await store([
            "# Callouts\n\nAliases: tip, hint. Aliases: check, done. Aliases: help, faq.",
            "# Aliases\n\nIf a note should be found under more than one name, you can give it other names.",
            "# Aliases of callouts\n\nAliases and callouts, callouts and aliases: aliases of callouts.",
        ])
        for query in ["Aliases", "alias", "callouts"] {
            let hits = try await store.search(all(query)).hits
            #expect(hits[0].title == (query == "callouts" ? "Callouts" : "Aliases"), "\(query)")
            #expect(hits[0].score < 1)
        }
        let hits = try await store.search(all("aliases of callouts")).hits
        #expect(hits[0].title == "Aliases of callouts")
    }

    @Test func `only a text that equals the query has the score 1`() async throws {
        let store = try await store(["swift", "swift swift swift swift", "A swift. A swift. A swift."])
        for mode in [SearchMode.hybrid, .text] {
            let hits = try await store.search(all("swift", mode)).hits
            #expect(hits.filter { $0.score == 1 }.map(\.entry.content) == ["swift"])
        }
    }

    @Test func `tags and paths are searched`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let draft = EntryDraft(key: "file", content: "Stop the clock in a test with a block.")
        _ = try await store.ingest([
            SourceDraft(id: "file:///notes/ruby/freeze-time.md", fingerprint: "1", entries: [draft])
        ])
        try await store.add("A recipe for bread.", tags: ["kitchen"])
        func first(_ query: String) async throws -> QueryHit? {
            try await store.search(all(query, .text)).hits.first
        }
        #expect(try await first("ruby")?.explanation.fields[.path] ?? 0 > 0)
        #expect(try await first("freeze time")?.entry.content == draft.content)
        #expect(try await first("kitchen")?.explanation.fields[.tags] ?? 0 > 0)
    }

    @Test func `adjacent words rank higher than the same words apart`() async throws {
        let store = try await store([
            "The window of the house has a small green frame that was painted last year.",
            "The frame of the house has a small green window that was painted last year.",
        ])
        let hits = try await store.search(all("green frame", .text)).hits
        #expect(hits[0].entry.content.hasPrefix("The window"))
        #expect(hits[0].explanation.phrase > 0 && hits[1].explanation.phrase == 0)
    }

    @Test func `the calibration does not depend on the order of changes`() async throws {
        let vectors = (0..<300).map { number -> (UUID, [Float]) in
            var generator = SeededGenerator(seed: UInt64(number))
            let vector = (0..<8).map { _ in Float(generator.nextIndex(below: 1000)) / 1000 }
            return (UUID(), vector)
        }
        func statistics(_ rows: [(UUID, [Float])]) -> PairStatistics {
            var sample = PassageSample()
            for (id, vector) in rows { sample.add(id, 0, row: 0, vector) }
            return sample.statistics()
        }
        #expect(statistics(vectors) == statistics(vectors.reversed()))
        #expect(statistics(vectors) == statistics(vectors.shuffled()))
        // In a small store, it does not depend on the ids, either: all passages are in the sample.
        let (one, other) = (statistics(vectors), statistics(vectors.map { (UUID(), $0.1) }))
        #expect(abs(one.mean - other.mean) < 1e-5 && abs(one.deviation - other.deviation) < 1e-5)
    }

    @Test func `copies do not count in the statistics, and those of similar passages are finite`() {
        func statistics(_ count: Int, distance: Float = 0) -> PairStatistics {
            PairStatistics(
                of: (0..<count).map { row in
                    // A common part of (1 - distance²), and a part of each passage.
                    var vector = [Float](repeating: 0, count: count + 1)
                    vector[0] = (1 - distance * distance).squareRoot()
                    vector[row + 1] = distance
                    return (UUID(), vector)
                })
        }
        #expect(abs(statistics(0).mean - PairStatistics.prior.mean) < 1e-6)
        #expect(abs(statistics(1).deviation - PairStatistics.prior.deviation) < 1e-6)
        #expect(abs(statistics(100).mean - PairStatistics.prior.mean) < 1e-6)
        #expect(abs(statistics(100).deviation - PairStatistics.prior.deviation) < 1e-6)
        let similar = statistics(100, distance: 0.3)
        #expect(similar.mean > 0.9 && similar.deviation >= 0.02)
    }
}
