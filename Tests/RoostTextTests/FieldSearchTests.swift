import Testing

@testable import RoostText

/// Tests of queries over the fields of texts: title, headings, path and tags.
@Suite struct FieldSearchTests {
    private let texts = [
        IndexedText("Plain words about weather."),
        IndexedText("Plain words about bread.", fields: [.title: "Herons of the lower river"]),
        IndexedText(
            "Plain words about boats.", fields: [.headings: "Otters\nLower banks", .tags: "old\nmaps"]),
        IndexedText(
            "Plain words about roofs.", fields: [.path: "/home/kestrels/lower.md", .tags: "old maps"]),
        IndexedText("The lower river and the maps.", fields: [.title: "Lower", .headings: "River"]),
    ]

    private func collection(parts: Int = 1) -> TextCollection {
        var collection = TextCollection()
        for part in 0..<parts {
            var builder = InvertedIndexBuilder()
            for index in texts.indices where index % parts == part { builder.add(texts[index]) }
            collection.parts.append(TextPart(builder.finish()))
        }
        return collection
    }

    /// Returns the numbers of the texts that match what a query requires and excludes.
    private func allowed(by query: String) throws -> [Int] {
        let collection = collection()
        let resolved = try collection.resolved(TextQuery(query), correctsSpelling: false)
        let allowed = try #require(try collection.allowed(by: resolved)?.first)
        return allowed.indices.filter { allowed[$0] }
    }

    private func found(_ query: String) throws -> Set<Int> {
        let collection = collection()
        let resolved = try collection.resolved(TextQuery(query), correctsSpelling: true)
        let matches = try collection.scores(for: resolved).best(10) { $0.document < $1.document }
        return Set(matches.map(\.document))
    }

    @Test func `an excluded word must not occur in any field`() throws {
        #expect(try allowed(by: "words -heron") == [0, 2, 3, 4])
        #expect(try allowed(by: "words -lower") == [0])
        #expect(try allowed(by: "words -kestrels") == [0, 1, 2, 4])
        #expect(try allowed(by: "words -maps") == [0, 1])
    }

    @Test func `a required phrase must occur in one field`() throws {
        #expect(try allowed(by: "\"lower river\"") == [1, 4])
        #expect(try allowed(by: "\"old maps\"") == [3], "two tags are not a phrase")
        #expect(try allowed(by: "\"otters lower\"").isEmpty, "two headings are not a phrase")
        #expect(try allowed(by: "\"kestrels lower\"") == [3])
        #expect(try allowed(by: "\"heron of the lower rivers\"") == [1])
        #expect(try allowed(by: "\"otter\"") == [2])
        #expect(try allowed(by: "words -\"lower river\"") == [0, 2, 3])
    }

    @Test func `a phrase is not found across the fields of a text`() throws {
        let collection = {
            var builder = InvertedIndexBuilder()
            builder.add(IndexedText("river", fields: [.title: "lower", .headings: "river", .path: "bank"]))
            var collection = TextCollection()
            collection.parts = [TextPart(builder.finish())]
            return collection
        }()
        for phrase in ["lower river", "river bank", "bank river"] {
            #expect(try collection.allowed(by: TextQuery("\"\(phrase)\"")) == [[false]])
        }
    }

    @Test func `a prefix matches the words of all fields`() throws {
        #expect(try found("hero*") == [1] && found("kest*") == [3] && found("ott*") == [2])
        #expect(try found("low*") == [1, 2, 3, 4])
        #expect(try allowed(by: "words -low*") == [0])
    }

    @Test(arguments: [1, 2])
    func `typos of words that occur only in fields are corrected`(parts: Int) throws {
        let collection = collection(parts: parts)
        for (typo, word) in [("herrons", "herons"), ("kestrles", "kestrels"), ("oters", "otters")] {
            let resolved = try collection.resolved(TextQuery(typo), correctsSpelling: true)
            #expect(resolved.corrections.map(\.corrected) == [word])
        }
        #expect(try found("herrons") == [1] && found("kestrles") == [3])
    }

    @Test func `deleted texts do not contribute corrections`() throws {
        var collection = collection()
        collection.parts[0].remove(1)
        let resolved = try collection.resolved(TextQuery("herrons"), correctsSpelling: true)
        #expect(resolved.corrections.isEmpty)
    }
}
