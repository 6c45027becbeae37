import Foundation
import Testing

@testable import RoostText

@Suite struct TextCollectionTests {
    private let vocabulary = [
        "boat", "boats", "boating", "sea", "see", "night", "knight", "the", "of", "bread", "oven", "42",
        "x264", "café", "知", "roof", "roofs", "paint", "painted", "zeppelin",
    ]

    private func texts(_ count: Int, seed: UInt64) -> [String] {
        var state = seed
        func next(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Lower numbers are more frequent, just as some words are in natural language.
            return Int(state >> 33) % (1 + Int(state >> 40) % below)
        }
        return (0..<count).map { _ in (0..<next(30)).map { _ in vocabulary[next(20)] }.joined(separator: " ")
        }
    }

    private func index(_ texts: [String]) -> InvertedIndex {
        var builder = InvertedIndexBuilder()
        for text in texts { builder.add(text) }
        return builder.finish()
    }

    private func stems(_ text: String) -> [String] {
        Term.terms(of: text).filter(\.isWord).map { String(decoding: $0.key(in: .english), as: UTF8.self) }
    }

    /// Returns the BM25 scores according to the formula; `nil` for texts without any of the words.
    private func scores(_ texts: [String], _ query: [String]) -> [Double?] {
        let words = texts.map(stems)
        let mean = max(1, Double(words.reduce(0) { $0 + $1.count }) / Double(texts.count))
        return words.map { text in
            var score: Double?
            for word in query {
                let frequency = Double(text.count { $0 == word })
                guard frequency > 0 else { continue }
                let n = Double(words.count { $0.contains(word) })
                let weight = log(1 + (Double(texts.count) - n + 0.5) / (n + 0.5))
                let norm = 0.9 * (0.7 + 0.3 * Double(text.count) / mean)
                score = (score ?? 0) + weight * frequency / (frequency + norm)
            }
            return score
        }
    }

    private func ranked(_ collection: TextCollection, _ query: String, limit: Int = .max / 4) throws
        -> [TextMatch]
    {
        try collection.scores(for: TextQuery(query)).best(limit) {
            ($0.part, $0.document) < ($1.part, $1.document)
        }
    }

    @Test func `scores match the formula`() throws {
        let texts = texts(300, seed: 1)
        var collection = TextCollection()
        collection.parts = [TextPart(index(texts))]
        for query in [
            "boat", "painted roofs", "zeppelin knight bread 知", "cafe cafe sea", "42 x264", "the of",
        ] {
            let expected = scores(texts, stems(query))
            let found = try ranked(collection, query)
            #expect(Set(found.map(\.document)) == Set(texts.indices.filter { expected[$0] != nil }))
            for match in found {
                #expect(abs(Double(match.score) - (expected[match.document] ?? 0)) < 1e-4)
            }
            for (better, worse) in zip(found, found.dropFirst()) {
                #expect((worse.score, better.document) < (better.score, worse.document))
            }
            let few = try ranked(collection, query, limit: 7)
            #expect(few == Array(found.prefix(7)))
        }
    }

    @Test func `scores of the counted texts do not depend on the others`() throws {
        let visible = texts(60, seed: 5)
        let hidden = texts(200, seed: 6) + (0..<200).map { "boat \($0) runBoat x" }
        var alone = TextCollection()
        alone.parts = [TextPart(index(visible))]
        var mixed = TextCollection()
        mixed.parts = [
            TextPart(index(Array(hidden[..<150]) + visible)), TextPart(index(Array(hidden[150...]))),
        ]
        let counted = VisibleDocuments { $0 == 0 && $1 >= 150 }
        func scores(_ collection: TextCollection, _ query: String, _ counted: VisibleDocuments?) throws
            -> TextScores
        {
            let query = try collection.resolved(TextQuery(query), correctsSpelling: false, among: counted)
            return try collection.scores(for: query, among: counted)
        }
        for query in ["boat", "boat zeppelin", "painted roofs", "boat sea", "night knight the"] {
            let expected = try scores(alone, query, nil)
            let limited = try scores(mixed, query, counted)
            let unlimited = try scores(mixed, query, nil)
            #expect(limited.maximumScore == expected.maximumScore, "\(query)")
            var differs = false
            for document in visible.indices {
                let score = expected[0, document]
                #expect(limited[0, document + 150] == score, "\(query), \(document)")
                differs = differs || unlimited[0, document + 150] != score
            }
            #expect(differs, "\(query)")
        }
    }

    @Test func `results do not depend on the division into parts or on deleted texts`() throws {
        let texts = texts(300, seed: 2)
        var undivided = TextCollection()
        undivided.parts = [TextPart(index(texts))]
        // Distributes the same texts over three parts. The first part also contains deleted texts.
        let deleted = self.texts(80, seed: 3)
        var first = TextPart(index(deleted + texts[..<100]))
        for document in deleted.indices {
            first.remove(document)
            first.remove(document)
        }
        var divided = TextCollection()
        divided.parts = [
            first, TextPart(index(Array(texts[100..<101]))), TextPart(index(Array(texts[101...]))),
        ]
        let starts = [-deleted.count, 100, 101]
        for query in ["boat", "painted roofs", "kni* bread", "\"boat sea\" night", "sea -\"the of\" -zep*"] {
            let parsed = TextQuery(query)
            func all(_ collection: TextCollection, _ starts: [Int]) throws -> [Int: Float] {
                let allowed = try collection.allowed(by: parsed)
                let found = try collection.scores(for: parsed).best(
                    1000, isAllowed: { allowed?[$0][$1] ?? true },
                    precedes: { ($0.part, $0.document) < ($1.part, $1.document) })
                return Dictionary(
                    uniqueKeysWithValues: found.map { ($0.document + starts[$0.part], $0.score) })
            }
            let expected = try all(undivided, [0])
            #expect(!expected.isEmpty)
            #expect(try all(divided, starts) == expected, "of \(query)")
        }
    }

    @Test func `required and excluded phrases and prefixes select the right texts`() throws {
        let texts = texts(500, seed: 4)
        var collection = TextCollection()
        collection.parts = [TextPart(index(texts))]
        let words = texts.map(stems)
        func has(_ text: [String], _ phrase: [String]) -> Bool {
            text.indices.contains { text[$0...].starts(with: phrase) }
        }
        for query in ["boat sea", "the the", "the of", "boats boating boat", "roof", "the of the", "知"] {
            let phrase = stems(query)
            let expected = words.map { has($0, phrase) }
            #expect(expected.contains(true) && expected.contains(false))
            #expect(try collection.allowed(by: TextQuery("\"\(query)\"")) == [expected])
            #expect(try collection.allowed(by: TextQuery("x -\"\(query)\"")) == [expected.map { !$0 }])
        }
        for beginning in ["boat", "boati", "boats", "roofs", "zeppelins", "x26"] {
            let begins = texts.map { Words($0).contains { $0.folded.hasPrefix(beginning) } }
            #expect(try collection.allowed(by: TextQuery("sea -\(beginning)*")) == [begins.map { !$0 }])
        }
        #expect(try collection.allowed(by: TextQuery("boat sea")) == nil)
        #expect(try collection.allowed(by: TextQuery("\"no such words\"")) == [texts.map { _ in false }])
    }

    @Test func `a corrupt index causes an error or wrong results, but never a crash`() throws {
        var builder = InvertedIndexBuilder()
        for text in texts(200, seed: 5) {
            builder.add(IndexedText(text, fields: [.title: "boat", .tags: "zeppelin"]))
        }
        let original = builder.finish()
        let sections = original.withSections { $0.map { ($0.name, Array($0.bytes)) } }
        var state: UInt64 = 1
        var refused = 0
        for round in 0..<400 {
            var damaged = Dictionary(uniqueKeysWithValues: sections)
            let name = sections[round % sections.count].0
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            guard var bytes = damaged[name], !bytes.isEmpty else { continue }
            let offset = Int(state >> 33) % bytes.count
            if round % 3 == 0 {
                bytes.removeLast(bytes.count - offset / 8 * 8)
            } else {
                bytes[offset] ^= UInt8(state >> 56)
            }
            damaged[name] = bytes
            let memory = Memory(damaged)
            do {
                let index = try InvertedIndex(owner: memory) { try #require(memory.sections[$0]) }
                guard index.documentCount == original.documentCount else { continue }
                var collection = TextCollection()
                collection.parts = [TextPart(index)]
                for query in ["boat sea", "\"the of\" kni*", "zeppelin"] {
                    _ = try ranked(collection, query)
                    _ = try collection.allowed(by: TextQuery(query))
                }
            } catch is InvertedIndex.Malformed { refused += 1 }
        }
        #expect(refused > 20)
    }

    private final class Memory: @unchecked Sendable {
        let sections: [String: UnsafeRawBufferPointer]

        init(_ sections: [String: [UInt8]]) {
            self.sections = sections.mapValues { bytes in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
                copy.copyBytes(from: bytes)
                return UnsafeRawBufferPointer(copy)
            }
        }

        deinit { for bytes in sections.values { bytes.deallocate() } }
    }
}
