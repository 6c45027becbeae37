import Testing

@testable import RoostText

struct WrittenDateTests {
    @Test(arguments: [
        "4 May 2025", "what did I do on May 4th, 2025?", "the 4th of May, 2025", "2025 May 4", "04 may 2025",
        "was war am 4. Mai 2025", "4 de mayo de 2025", "le 4 mai 2025", "4 maggio 2025", "4 mei 2025",
    ])
    func `a date in words has a form in digits`(text: String) {
        let dates = WrittenDate.dates(in: text)
        #expect(dates.map { [$0.year, $0.month, $0.day] } == [[2025, 5, 4]])
        #expect(dates.first.map { String(decoding: $0.term.word, as: UTF8.self) } == "2025-05-04")
    }

    @Test(arguments: [
        "May 2025", "4 May", "32 May 2025", "4 may 20255", "I may go 4 times in 2025", "2025-05-04", "",
    ])
    func `other texts have no complete date in words`(text: String) {
        #expect(WrittenDate.dates(in: text).isEmpty)
    }

    @Test func `several dates are found in order, each once`() {
        let text = "from 24 December 2024 to 1 January 2025, 24 December 2024"
        #expect(WrittenDate.dates(in: text).map(\.day) == [24, 1])
    }

    /// Returns the numbers of the texts, best first.
    private func ranking(_ query: String, in texts: [(title: String, body: String)]) throws -> [Int] {
        var builder = InvertedIndexBuilder()
        for text in texts {
            builder.add(IndexedText(text.body, fields: [.title: text.title]))
        }
        var collection = TextCollection()
        collection.parts.append(TextPart(builder.finish()))
        let resolved = try collection.resolved(TextQuery(query), correctsSpelling: true)
        return try collection.ranked(resolved, limit: 10) { $0.document < $1.document }.map(\.document)
    }

    @Test func `a date in words finds the note of the day first`() throws {
        let days = (1...9).map { (title: "2025-05-0\($0)", body: "Bread, milk and a run in 2025") }
        let others = [
            (title: "Topic 4", body: "The 4 topics"), (title: "Plans for May 2025", body: "4 trips in 2025"),
        ]
        #expect(try ranking("what did I do on 4 May 2025", in: others + days).first == 5)
        // Without a note of the day, the words are searched for.
        #expect(try ranking("4 May 2025", in: others).first == 1)
        let underscores = days.map { (title: $0.title.replacing("-", with: "_"), body: $0.body) }
        #expect(try ranking("4 May 2025", in: others + underscores).first == 5)
    }
}
