import Foundation
import Testing

@testable import Roost

/// Tests of the correction of cosines by the best entries.
@Suite struct CosineCorrectionTests {
    private let best: [Float] = [0, 0, 1, 0]
    private let other: [Float] = [0, 1, 0, 0]

    @Test func `an entry that is similar to the best entries has a higher corrected cosine`() {
        let correction = CosineCorrection(feedback: [(vector: best, weight: 2)])
        #expect(correction.isEffective)
        let similar = correction.corrected(0.4, correction.projection(of: best))
        #expect(similar > 0.45)
        #expect(correction.corrected(0.4, correction.projection(of: other)) < 0.4)
        // The more relevant entry has more influence.
        let mixed = CosineCorrection(feedback: [(vector: best, weight: 3), (vector: other, weight: 1)])
        #expect(mixed.projection(of: best)! > mixed.projection(of: other)!)
    }

    @Test func `cosines are not corrected without feedback`() {
        for correction in [CosineCorrection(), CosineCorrection(feedback: [(vector: best, weight: 0)])] {
            #expect(!correction.isEffective)
            #expect(correction.corrected(0.5, correction.projection(of: best)) == 0.5)
        }
        let correction = CosineCorrection(feedback: [(vector: best, weight: 1)])
        #expect(correction.corrected(0.5, nil) == 0.5)
        #expect(correction.projection(of: [1, 0]) == nil)
    }

    @Test func `hits and their scores agree with those of a second store with the same entries`() async throws
    {
        let texts = [
            "The swifts came back in May and nest under the roof of the church.",
            "Swifts sleep in the air and feed their young under the roof.",
            "Sourdough bread rises overnight in the oven of the bakery.",
            "A sailing boat needs a deep keel in heavy seas.",
            "The choir rehearses the requiem in the church on Friday.",
        ]
        var results: [[Float]] = []
        for _ in 0..<2 {
            let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
            for text in texts { try await store.add(text) }
            var search = EntrySearch("swifts under the church roof", limit: 5)
            search.includesAll = true
            let hits = try await store.search(search).hits
            #expect(hits.first?.entry.content == texts[0])
            #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
            // Pages come from the same list.
            search.limit = 2
            search.offset = 2
            #expect(try await store.search(search).hits.map(\.score) == hits[2..<4].map(\.score))
            results.append(hits.map(\.score))
        }
        #expect(zip(results[0], results[1]).allSatisfy { abs($0 - $1) < 1e-4 })
    }
}
