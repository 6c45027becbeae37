import Foundation
import Roost
import RoostTestKit
import TestSupport
import Testing

/// Tests of the clusters of passages.
struct PassageClusterTests {
    /// Returns a text with ten passages or more about one subject.
    private func chapter(_ subject: Int) -> String {
        let words = SampleTexts.subjects[subject].split(separator: " ")
        let sentences = (0..<500).map { number in
            "\(words[number % 4]) \(words[(number / 4) % 4]) \(words[(number / 16) % 4]) detail\(number % 7)."
        }
        return "# Chapter \(subject)\n\n" + sentences.joined(separator: " ") + "\n\n"
    }

    @Test func `a book has a cluster for each chapter, and nothing is saved`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let book = try await store.add((0..<4).map(chapter).joined(), tags: ["book"]).id
        try await store.add("an unrelated note")
        let found = try await store.clusters.ofPassages(among: [.tag("book")])
        let entry = try #require(try await store.storage.snapshot().entries([book]).first)
        let count = found.report.outlierCount + found.report.clusters.reduce(0) { $0 + $1.members.count }
        #expect(count == entry.passages.count && count > 20)
        // All examples of a cluster are from one chapter, and each chapter has a cluster.
        var chapters: Set<Int> = []
        for cluster in found.report.clusters {
            let examples = cluster.representatives.compactMap { found.passages[$0] }
            #expect(!examples.isEmpty && examples.allSatisfy { $0.id == book })
            let texts = examples.map { entry.text(of: $0.passage) ?? "" }
            for (number, subject) in SampleTexts.subjects.enumerated() {
                let word = String(subject.prefix { $0 != " " })
                if texts.allSatisfy({ $0.contains(word) }) { chapters.insert(number) }
            }
        }
        #expect(chapters == [0, 1, 2, 3])
        #expect(try await store.storage.fetchClusters().isEmpty)
        await #expect(throws: RoostError.self) { try await store.clusters.ofPassages(among: [.tag("none")]) }
    }
}
