import Foundation
import RoostText
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

    @Test func `a text that equals the query has a score close to 1`() async throws {
        let store = try await store(texts)
        for text in texts {
            let hits = try await store.search(all(text)).hits
            #expect(hits[0].entry.content == text)
            #expect(hits[0].score > 0.95, "\(hits[0].score)")
            #expect(hits[1].score < 0.6, "\(hits[1].score)")
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
        let result = try await store.query("quantum chromodynamics lattice")
        #expect(result.hasOnlyNoise && result.hits.isEmpty)
        #expect(result.nearest.map(\.rank) == [1, 2, 3])
        #expect(result.nearest.allSatisfy { $0.score < result.noiseLevel })
        // The three nearest are reported even if their scores are 0.
        let excluded = try await store.query("keel -boat -seas zzzz")
        #expect(excluded.hasOnlyNoise && excluded.nearest.count == 3)
        let complete = try await store.search(all("quantum chromodynamics lattice"))
        #expect(complete.hits.count == texts.count && complete.nearest.isEmpty && complete.noiseLevel == 0)
    }

    @Test func `a list ends where the score is 0, unless all hits are requested`() async throws {
        let store = try await store(texts)
        let query = "swifts nest under the church roof"
        let everything = try await store.search(all(query)).hits
        #expect(everything.count == texts.count && everything.contains { $0.score == 0 })
        var search = EntrySearch(query, limit: 100)
        let hits = try await store.search(search).hits
        #expect(!hits.isEmpty && hits.allSatisfy { $0.score > 0 })
        #expect(hits.map(\.entry.id) == everything.filter { $0.score > 0 }.map(\.entry.id))
        // Pages and folding do not change the end of the list.
        search.offset = 1
        #expect(try await store.search(search).hits.map(\.entry.id) == hits.dropFirst().map(\.entry.id))
        search.offset = 0
        search.diversity = 0.4
        #expect(try await Set(store.search(search).hits.map(\.entry.id)) == Set(hits.map(\.entry.id)))
    }

    @Test func `the number of hits does not depend on the limit`() async throws {
        let subjects = ["roof", "oven", "keel", "table", "frost", "choir", "bread", "church"]
        let store = try await store(
            (0..<160).map { number in
                let subject = subjects[number % subjects.count]
                return number % 5 == 0
                    ? "How to do this with the \(subject), and what it is, part \(number)."
                    : "The \(subject) of part \(number) is to be had."
            })
        for query in ["how to do this", "what is it", "the of"] {
            let count = try await store.search(EntrySearch(query, limit: 160)).hits.count
            for limit in [1, 5, 20, 40, 100] {
                let hits = try await store.search(EntrySearch(query, limit: limit)).hits
                #expect(hits.count == min(limit, count), "\(query), \(limit) of \(count)")
            }
        }
    }

    @Test func `hits without evidence follow only in a long list`() throws {
        let plan = QueryPlan(
            search: EntrySearch("kestrel", limit: 500), vector: [1, 0], text: TextQuery("kestrel"))
        func accepted(_ count: Int) throws -> [Float] {
            var assembly = HitAssembly(plan)
            assembly.needed = 500
            let evidence = (0..<count).map { Float(count - $0) } + [-0.5, -2]
            try assembly.add(
                evidence.map { value in
                    let entry = Entry(content: "text")
                    var hit = QueryHit(
                        entry: entry, similarity: 0,
                        passage: Passage(ordinal: 0, utf8Range: 0..<4, vector: []))
                    hit.evidence = value
                    return hit
                })
            return assembly.hits.map(\.evidence).filter { $0 <= 0 }
        }
        #expect(try accepted(99) == [])
        #expect(try accepted(100) == [-0.5])
    }

    @Test func `the shares of a hit whose score a later stage lowers add up to the score`() throws {
        let plan = QueryPlan(
            search: EntrySearch("kestrel", limit: 500), vector: [1, 0], text: TextQuery("kestrel"))
        var assembly = HitAssembly(plan)
        assembly.needed = 500
        func add(passage: Float, words: Float) throws {
            var hit = QueryHit(
                entry: Entry(content: "text"), similarity: 0,
                passage: Passage(ordinal: 0, utf8Range: 0..<4, vector: []))
            (hit.explanation.passage, hit.explanation.words) = (passage, words)
            hit.score = passage + words
            (hit.evidence, hit.relativeEvidence) = (hit.score, hit.score)
            try assembly.add([hit])
        }
        try add(passage: 0.25, words: 0)
        assembly.endStage()
        try add(passage: 0.25, words: 0.25)
        let later = try #require(assembly.hits.last)
        #expect(later.score == 0.25)
        #expect(later.explanation.passage == 0.125 && later.explanation.words == 0.125)
        // A score of 0 has no shares, so nothing may be in proportion to the evidence of the hit.
        try add(passage: 0, words: 0)
        assembly.endStage()
        try add(passage: 0.25, words: 0.25)
        let last = try #require(assembly.hits.last)
        #expect(last.score == 0 && last.explanation == ScoreExplanation() && last.relativeEvidence == 0)
    }

    @Test func `the hits of a later stage are in the order of their evidence`() throws {
        var search = EntrySearch("kestrel", limit: 500)
        search.includesAll = true
        let plan = QueryPlan(search: search, vector: [1, 0], text: TextQuery("kestrel"))
        var assembly = HitAssembly(plan)
        assembly.needed = 500
        try assembly.add([hit(0.5, [1, 0], id: 0), hit(-5, [1, 0], id: 1)])
        assembly.endStage()
        // All of them are limited to the evidence of the last hit of the first stage.
        let evidence = (0..<40).map { -3 + Float($0 * 7 % 40) / 10 }
        for start in stride(from: 0, to: 40, by: 8) {
            try assembly.add((start..<start + 8).map { hit(evidence[$0], [1, 0], id: $0 + 2) })
        }
        let order = evidence.indices.sorted { evidence[$0] > evidence[$1] }.map { "text \($0 + 2)" }
        #expect(assembly.hits.map(\.entry.content) == ["text 0", "text 1"] + order)
        #expect(assembly.hits.dropFirst(2).allSatisfy { $0.score == 0 && $0.evidence == -5 })
    }

    /// Returns a hit with a vector.
    private func hit(_ evidence: Float, _ vector: [Float], id: Int) -> QueryHit {
        var hit = QueryHit(
            entry: Entry(content: "text \(id)"), similarity: max(0, evidence),
            passage: Passage(ordinal: 0, utf8Range: 0..<4, vector: vector))
        hit.evidence = evidence
        (hit.score, hit.relativeEvidence) = (max(0, evidence), max(0, evidence))
        return hit
    }

    @Test func `diverse hits without evidence follow all others`() throws {
        var search = EntrySearch("kestrel", limit: 6)
        search.diversity = 0.9
        search.includesAll = true
        let plan = QueryPlan(search: search, vector: [1, 0], text: TextQuery("kestrel"))
        var assembly = HitAssembly(plan)
        let similar = (1...4).map { hit(Float($0) / 10, [1, 0], id: $0) }
        try assembly.add(similar + [hit(-0.5, [0, 1], id: 5), hit(-0.6, [0, -1], id: 6)])
        assembly.needed = 2
        try assembly.select()
        #expect(assembly.isComplete && assembly.hits.allSatisfy { $0.score > 0 })
        assembly.needed = 6
        try assembly.select()
        #expect(assembly.hits.count == 6)
        #expect(assembly.hits.suffix(2).allSatisfy { $0.score == 0 })
    }

    @Test func `diverse hits do not depend on how many are selected at once`() throws {
        var search = EntrySearch("kestrel", limit: 40)
        search.diversity = 0.4
        let plan = QueryPlan(search: search, vector: [1, 0], text: TextQuery("kestrel"))
        let hits = (1...40).map { number in
            let angle = Float(number * 37 % 90) / 57
            return hit(Float(number) / 50, [cos(angle), sin(angle)], id: number)
        }
        func selected(_ counts: [Int]) throws -> [Entry.ID] {
            var assembly = HitAssembly(plan)
            try assembly.add(hits)
            for count in counts {
                assembly.needed = count
                try assembly.select()
            }
            return assembly.hits.map(\.entry.id)
        }
        #expect(try selected([5, 10, 20]) == selected([20]))
    }

    @Test func `an entry with all words of the query is always a hit`() async throws {
        let store = try await store(texts)
        let hits = try await store.query("the church").hits
        #expect(Set(hits.prefix(2).map(\.entry.content)) == [texts[0], texts[5]])
        #expect(try await store.query("keel").hits.first?.entry.content == texts[2])
    }

    @Test func `words together are an answer even if the meaning is unrelated`() async throws {
        let unrelated: [Float] = [0, 1, 0, 0, 0, 0, 0, 0]
        let provider = InMemoryStorageProvider()
        let texts = [
            "Licensed under Apache.", "Apache is licensed.", "Carla Winter called.",
            "In winter, a friend named Carla called.", "The heron.",
        ]
        try await provider.saveEntries(texts.map { Entry(content: $0, embeddings: unrelated) })
        let store = KnowledgeStore(storage: provider, embedder: Directions())
        func found(_ query: String) async throws -> Set<String> {
            Set(try await store.query(query).hits.map(\.entry.content))
        }
        #expect(try await found("licensed under apache") == [texts[0]])
        #expect(try await found("carla winter") == [texts[2]])
        #expect(try await found("heron") == [texts[4]])
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
            var sample = PassageSample<[Float]>()
            for (id, vector) in rows { sample.add(id, 0, vector) }
            return PairStatistics(
                of: sample.finish().map { PairStatistics.SampledPassage(entry: $0.entry, vector: $0.row) })
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
                    return PairStatistics.SampledPassage(entry: UUID(), vector: vector)
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
