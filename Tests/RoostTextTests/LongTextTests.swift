import Foundation
import TestSupport
import Testing

@testable import RoostText

/// Tests of the scores of texts that are longer than a window of ``TextScoring``.
@Suite struct LongTextTests {
    private func collection(_ texts: [String]) -> TextCollection {
        var builder = InvertedIndexBuilder()
        for text in texts { builder.add(text) }
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        return collection
    }

    /// Words that do not occur in the queries.
    private func filler(_ count: Int) -> [String] { (0..<count).map { "filler\($0 % 50)" } }

    private func ranked(_ texts: [String], _ query: String) throws -> [Int] {
        let collection = collection(texts)
        let query = try collection.resolved(TextQuery(query), correctsSpelling: false)
        return try collection.ranked(query, limit: 10) { $0.document < $1.document }.map(\.document)
    }

    /// Returns the score of a text according to the formula: that of the whole text or of its best window.
    private func score(_ text: [String], _ query: [String], _ weights: [Double], mean: Double) -> Double {
        func score(_ words: ArraySlice<String>, length: Int) -> Double {
            zip(query, weights).reduce(0) { sum, word in
                let frequency = Double(words.count { $0 == word.0 })
                return sum + word.1 * frequency / (frequency + 0.9 * (0.7 + 0.3 * Double(length) / mean))
            }
        }
        let whole = score(text[...], length: text.count)
        let window = Int(TextScoring.window)
        guard text.count > window else { return whole }
        let starts = 0...(text.count - window)
        return starts.map { score(text[$0..<($0 + window)], length: window) }.reduce(whole, max)
    }

    @Test func `a long text has the score of its best window`() throws {
        var random = Seeded(state: 4)
        let query = ["boat", "zeppelin", "knight"]
        let texts = (0..<40).map { number in
            filler(number % 4 == 0 ? 40 : 200 + 40 * number).map { word in
                Int.random(in: 0..<60, using: &random) == 0
                    ? query[Int.random(in: 0..<3, using: &random)] : word
            }
        }
        let collection = collection(texts.map { $0.joined(separator: " ") })
        let mean = Double(texts.reduce(0) { $0 + $1.count }) / Double(texts.count)
        let weights = query.map { word in
            let n = Double(texts.count { $0.contains(word) })
            return log(1 + (Double(texts.count) - n + 0.5) / (n + 0.5))
        }
        let scores = try collection.scores(for: TextQuery(query.joined(separator: " ")))
        let breakdowns = scores.breakdowns(ofPart: 0, Array(texts.indices))
        for (index, text) in texts.enumerated() {
            let expected = score(text, query, weights, mean: mean)
            #expect(abs(Double(scores[0, index]) - expected) < 1e-4, "text \(index)")
            // The shares of a score add up to it.
            #expect(abs((breakdowns[index]?.body ?? 0) - scores[0, index]) < 1e-4, "text \(index)")
        }
    }

    @Test func `a long text with an answer in one paragraph precedes short texts with fewer words`() throws {
        let words = ["valve", "spring", "gauge"]
        let short = (0..<30).map { ([words[$0 % 3]] + filler(60)).joined(separator: " ") }
        let answer = filler(1500) + ["replace", "the", "valve", "spring", "gauge"] + filler(1500)
        #expect(try ranked(short + [answer.joined(separator: " ")], "valve spring gauge").first == 30)
    }

    @Test func `words in different places of a long text do not add up`() throws {
        let short = "the valve and the spring " + filler(60).joined(separator: " ")
        let others = (0..<30).map { _ in filler(60).joined(separator: " ") }
        let long = (["valve"] + filler(900) + ["spring"] + filler(900) + ["gauge"]).joined(separator: " ")
        #expect(try ranked([long, short] + others, "valve spring gauge") == [1, 0])
    }

    @Test func `prefixes and parts of long texts are found`() throws {
        let long = (filler(700) + ["lighthouse", "keeper"] + filler(700)).joined(separator: " ")
        let texts = [long, "a lighthouse", "nothing else"] + (0..<9).map { "other text \($0)" }
        #expect(Set(try ranked(texts, "lighth* keeper")) == [0, 1])
        #expect(try ranked(texts, "lighth* keeper").first == 0)
    }
}
