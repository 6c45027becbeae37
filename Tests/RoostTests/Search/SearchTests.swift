import Foundation
import Roost
import RoostVectors
import Testing

/// Tests of search over the entries of many commits, with an oracle that compares all passages one by one.
struct SearchTests {
    /// Returns a vector in which four of eight components are 0.5 or -0.5, so that products are exact and
    /// many of them are equal.
    private func vector(_ generator: inout SeededGenerator) -> [Float] {
        let components = Array(0..<8).shuffled(using: &generator).prefix(4)
        var vector = [Float](repeating: 0, count: 8)
        for component in components { vector[component] = Bool.random(using: &generator) ? 0.5 : -0.5 }
        return vector
    }

    private func entry(_ number: Int, _ generator: inout SeededGenerator) -> Entry {
        let passages = (0..<Int.random(in: 1...4, using: &generator)).map { ordinal in
            Passage(ordinal: ordinal, utf8Range: ordinal..<ordinal + 1, vector: vector(&generator))
        }
        return Entry(
            content: "\(number) text", embeddings: vector(&generator), passages: passages,
            tags: number.isMultiple(of: 3) ? ["third"] : [])
    }

    private func oracle(_ entries: [Entry], _ query: [Float], k: Int) -> [UUID] {
        let scored = entries.map { entry in
            (id: entry.id, score: entry.passages.map { innerProduct($0.vector, query) }.max() ?? -1)
        }
        return scored.sorted { ($1.score, $0.id.uuidString) < ($0.score, $1.id.uuidString) }.prefix(k)
            .map(\.id)
    }

    @Test(arguments: [1, 2, 3]) func `entries of many commits are found like those of one commit`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let storage = InMemoryStorageProvider()
        let store = KnowledgeStore(storage: storage, embedder: Directions())
        var entries: [Entry] = []
        for round in 0..<12 {
            let added = (0..<Int.random(in: 1...30, using: &generator)).map {
                entry(round * 100 + $0, &generator)
            }
            try await storage.saveEntries(added)
            entries += added
            let removed = entries.remove(at: Int.random(in: 0..<entries.count, using: &generator))
            try await storage.deleteEntry(removed.id)
            let changed = Int.random(in: 0..<entries.count, using: &generator)
            entries[changed].passages[0].vector = vector(&generator)
            try await storage.saveEntry(entries[changed])
            for k in [1, 3, 10, 1000] {
                let query = vector(&generator)
                let all = try await store.search(EntrySearch(.vector(query), limit: k))
                #expect(all.hits.map(\.entry.id) == oracle(entries, query, k: k))
                let some = try await store.search(
                    EntrySearch(.vector(query), matching: [.tag("third")], limit: k))
                let allowed = entries.filter { $0.tags.contains("third") }
                #expect(some.hits.map(\.entry.id) == oracle(allowed, query, k: k))
                #expect(some.candidateCount == allowed.count)
            }
        }
    }

    @Test func `a vector of another dimension is rejected`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: Directions())
        let error = await #expect(throws: RoostError.self) {
            try await store.search(EntrySearch(.vector([1, 0])))
        }
        #expect(error?.code == .spaceMismatch)
        // A vector of another dimension that was stored without the knowledge store.
        try await store.storage.saveEntry(Entry(content: "x", embeddings: [1, 0]))
        let other = await #expect(throws: RoostError.self) { try await store.search("x") }
        #expect(other?.code == .spaceMismatch)
    }
}

/// An embedder with eight dimensions, for stores whose vectors the test provides.
struct Directions: Embedder {
    let space = EmbeddingSpace(model: "directions", revision: "1", dimension: 8, pooling: "none")
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let row: [Float] = [1, 0, 0, 0, 0, 0, 0, 0]
        let zeros = [Int](repeating: 0, count: texts.count)
        return Embeddings(
            vectors: Matrix(texts.map { _ in row }, columns: 8), tokenCounts: zeros, omittedTokens: zeros)
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}
