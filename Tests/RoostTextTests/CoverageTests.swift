import Testing

@testable import RoostText

/// The share of a query that documents contain.
@Suite struct CoverageTests {
    private func collection(_ texts: [String]) -> TextCollection {
        var builder = InvertedIndexBuilder()
        for text in texts { builder.add(text) }
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        return collection
    }

    private struct Coverage {
        var words: Int
        var total: Int
        var share: Float
    }

    /// Returns what each text contains of a query.
    private func coverage(of query: String, in texts: [String]) throws -> [Coverage] {
        let collection = collection(texts)
        let resolved = try collection.resolved(TextQuery(query), correctsSpelling: true)
        let scores = try collection.scores(for: resolved)
        let breakdowns = scores.breakdowns(ofPart: 0, Array(texts.indices))
        return texts.indices.map { document in
            let found = breakdowns[document] ?? TextScores.Breakdown()
            return Coverage(
                words: found.words, total: scores.wordCount, share: found.covered / scores.wordInformation)
        }
    }

    @Test(arguments: [
        ("session", "call NSURLSession"), ("URLSession", "call NSURLSession"), ("query", "parseURLQuery()"),
        ("parse url", "parseURLQuery()"), ("example.com", "write to anna@example.com"), ("&.", "user&.name"),
        ("force-with-lease", "git push --force-with-lease"), ("2>&1", "cmd > file 2>&1"),
        ("parseURLQuery", "parseURLQuery()"), ("\"user&.name\"", "user&.name"),
    ])
    func `a text contains words as parts of identifiers, and operators`(query: String, text: String) throws {
        let found = try coverage(of: query, in: ["something else", text, "and more"])
        #expect(found[1].words == found[1].total && found[1].total > 0)
        #expect(abs(found[1].share - 1) < 1e-5)
        #expect(found[0].words == 0 && found[0].share == 0)
    }

    @Test func `the covered information is the share of the words`() throws {
        let found = try coverage(
            of: "copper gutter leaf", in: ["a copper gutter", "a leaf", "copper gutter leaf", "nothing"])
        #expect(found.map(\.words) == [2, 1, 3, 0])
        #expect(found[0].share > found[1].share && abs(found[0].share + found[1].share - 1) < 1e-5)
    }

    @Test func `corrected words are contained but do not count as information`() throws {
        let found = try coverage(of: "kuberentes deploy", in: ["deploy to kubernetes", "deploy", "other"])
        #expect(found.map(\.words) == [2, 1, 0] && found[0].total == 2)
        #expect(found[0].share == found[1].share && found[0].share < 1)
    }

    @Test func `parts of the identifier of a query do not contain it`() throws {
        let found = try coverage(of: "URLSession", in: ["a url of a session", "URLSession", "more text"])
        #expect(found.map(\.words) == [0, 1, 0])
        #expect(found[0].share > 0 && found[0].share <= found[1].share)
    }

    @Test func `an operator that no text contains is punctuation`() throws {
        let collection = collection(["why ruby", "python"])
        #expect(try collection.resolved(TextQuery("ruby ?? why"), correctsSpelling: true).scoring.count == 1)
        #expect(try collection.resolved(TextQuery("??"), correctsSpelling: true).scoring.count == 1)
    }

    @Test func `phrases with operators are excluded by their words`() {
        let query = TextQuery("ruby -\"x => y\"")
        #expect(query.excluded.count == 1 && TextQuery("ruby \"x => y\"").required.count == 2)
    }
}
