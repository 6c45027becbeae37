import RoostText
import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct PhraseMeaningsTests {
    private func partition(_ centroids: [[Float]], parents: [Int?]? = nil) -> Partition {
        Partition(
            labels: [.group(0), .group(1)], centroids: Matrix(centroids, columns: 3),
            similarities: [1, 1], confidences: [1, 1], parents: parents)
    }

    private func phrases(_ texts: [String]) -> [[LabelPhrase]] {
        var tally = WordTally(groups: 2)
        for number in 0..<4 { for text in texts { tally.add("\(text) \(number)", to: 0) } }
        for number in 0..<4 { tally.add("keel \(number)", to: 1) }
        return tally.vocabularies().labelPhrases(limit: 10)
    }

    @Test func `a phrase that other groups share is not specific`() {
        let phrases = phrases(["oven", "shared"])
        let vectors: [String: [Float]] = [
            "oven": [1, 0, 0], "shared": [0.7071, 0.7071, 0], "keel": [0, 1, 0],
        ]
        let values = PhraseMeanings(phrases, vectors, partition([[1, 0, 0], [0, 1, 0]])).values
        let specificities = Dictionary(
            uniqueKeysWithValues: zip(phrases[0].map(\.text), values[0].map(\.specificity)))
        #expect(specificities["oven"] ?? 0 > 0)
        #expect(abs(specificities["shared"] ?? 1) < 1e-4)
    }

    @Test func `a phrase that means the same as a more specific one is a variant`() {
        let phrases = phrases(["film", "movie", "card"])
        let vectors: [String: [Float]] = [
            "film": [1, 0, 0], "movie": [0.9, 0.43, 0], "card": [0, 0.6, 0.8], "keel": [0, 1, 0],
        ]
        let values = PhraseMeanings(phrases, vectors, partition([[1, 0, 0], [0, 1, 0]])).values
        let variants = zip(phrases[0], values[0]).filter { $0.1.isVariant }.map(\.0.text)
        #expect(variants == ["movie"])
    }

    @Test func `a group with a phrase that has no vector has no meanings`() {
        let values = PhraseMeanings(
            phrases(["oven", "shared"]), ["oven": [1, 0, 0], "keel": [0, 1, 0]],
            partition([[1, 0, 0], [0, 1, 0]])
        ).values
        #expect(values[0].isEmpty && values[1].count == 1)
    }
}
