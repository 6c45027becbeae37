import Testing

@testable import RoostText

struct WrittenDateTests {
    @Test(arguments: [
        "4 May 2025", "what did I do on May 4th, 2025?", "the 4th of May, 2025", "2025 May 4", "04 may 2025",
        "was war am 4. Mai 2025", "4 de mayo de 2025", "le 4 mai 2025", "4 maggio 2025", "4 mei 2025",
    ])
    func `a date in words is found`(text: String) {
        let dates = WrittenDate.dates(in: text)
        #expect(dates.map { [$0.year, $0.month, $0.day ?? 0] } == [[2025, 5, 4]])
    }

    @Test(arguments: [
        ("2025-05-04", [[5, 4]]), ("2025/05/04", [[5, 4]]), ("2025_5_4", [[5, 4]]), ("2025.05.04", [[5, 4]]),
        ("4.5.2025", [[5, 4]]), ("04. 05. 2025", [[5, 4]]), ("was war am 4/5/2025", [[5, 4]]),
        ("4/5/2025", [[5, 4], [4, 5]]), ("05-04-2025", [[4, 5], [5, 4]]), ("4/4/2025", [[4, 4]]),
        ("4/25/2025", [[4, 25]]), ("25/4/2025", [[4, 25]]), ("diary/2025-05-04.md", [[5, 4]]),
    ])
    func `a date in digits has each of its readings`(text: String, days: [[Int]]) {
        let dates = WrittenDate.dates(in: text)
        #expect(dates.map { [$0.month, $0.day ?? 0] } == days)
        #expect(dates.allSatisfy { $0.year == 2025 })
    }

    @Test(arguments: [
        "4 May", "4 may 20255", "I may go 4 times in 2025", "2025-13-04", "4 5 2025", "4.5/2025",
        "1.4.5.2025", "10.4.5", "13/13/2025", "2025-5", "2025-13", "2025-05-41", "5 2025", "5.2025",
        "10-12-2025-3", "v2025.05", "2025", "May", "",
    ])
    func `other texts have no date`(text: String) {
        #expect(WrittenDate.dates(in: text).isEmpty)
    }

    @Test(arguments: [
        "May 2025", "what did I do in May, 2025?", "Mai 2025", "mayo de 2025", "2025 May", "32 May 2025",
        "2025-05", "2025/05", "2025_05.md", "05/2025", "5/2025", "notes/2025-05/plan.md",
    ])
    func `a month has no day`(text: String) {
        let dates = WrittenDate.dates(in: text)
        #expect(dates.map { [$0.year, $0.month, $0.day ?? 0] } == [[2025, 5, 0]])
    }

    @Test func `several dates are found in order, each once`() {
        let text = "from 24 December 2024 to 1 January 2025, 24 December 2024 or May 2025"
        #expect(WrittenDate.dates(in: text).map { $0.day ?? 0 } == [24, 1, 0])
    }

    @Test(.timeLimit(.minutes(1))) func `many different dates are found in linear time`() {
        let months = (1000..<6000).flatMap { year in
            (1...12).map { $0 < 10 ? "\(year)-0\($0)" : "\(year)-\($0)" }
        }
        #expect(WrittenDate.dates(in: months.joined(separator: " ")).count == months.count)
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

    @Test(arguments: [
        "4.5.2025", "4/5/2025", "2025/05/04", "2025-05-04", "4 May 2025", "May 4, 2025", "4. Mai 2025",
    ])
    func `a date finds its other forms in titles and texts`(query: String) throws {
        let forms = [
            "2025-05-04", "2025_05_04", "4 May 2025", "May 4th, 2025", "the 4th of May, 2025", "4.5.2025",
            "04/05/2025", "4 de mayo de 2025", "4. Mai 2025",
        ]
        let others = [
            (title: "Dates 2025-04-06", body: "4 topics, 5 trips and 12 runs in 2025"),
            (title: "May 2025", body: "On 4 days in May it rained. On 6 April 2025, it did not."),
        ]
        for form in forms {
            #expect(try ranking(query, in: others + [(title: form, body: "Bread and milk")]).first == 2)
            let text = (title: "Shopping", body: "Bread and milk, bought on \(form) in the town")
            #expect(try ranking(query, in: others + [text]).first == 2)
        }
    }

    @Test func `a day that texts can also mean ranks below the day`() throws {
        let texts = [(title: "Trip", body: "on 05.04.2025"), (title: "Bread", body: "on 04.05.2025")]
        #expect(try ranking("2025-05-04", in: texts) == [1, 0])
        #expect(try ranking("2025-04-05", in: texts) == [0, 1])
    }

    @Test(arguments: ["March 2025", "März 2025", "2025-03", "03/2025", "marzo de 2025"])
    func `a month finds its days in other forms`(query: String) throws {
        let forms = [
            "2025-03-14", "2025_03_14", "14 March 2025", "March 14th, 2025", "the 14th of March, 2025",
            "14.3.2025", "14/03/2025", "3/14/2025", "4 de marzo de 2025", "14. März 2025", "2025-03",
        ]
        let others = [
            (title: "2024-03-14", body: "Bread in 2025, 3 rolls, 14 cakes. Mary and the march of the mars"),
            (title: "2025-04-14", body: "Bread on 14 April 2025 and 2025-13"),
        ]
        for form in forms {
            #expect(try ranking(query, in: others + [(title: form, body: "Bread and milk")]).first == 2)
            let text = (title: "Shopping", body: "Bread and milk, bought on \(form) in the town")
            #expect(try ranking(query, in: others + [text]).first == 2)
        }
    }

    @Test func `a month decides between texts with the other words of the query`() throws {
        let days = (10...19).map { (title: "2024-06-\($0)", body: "Nothing of importance, and a tooth") }
        let texts = [
            (title: "2025-03-14", body: "Bread and milk"),
            (title: "2025-04-02", body: "A visit to the dentist"),
            (title: "2025-03-20", body: "A visit to the dentist"),
        ]
        #expect(try ranking("dentist March 2025", in: texts + days).prefix(3) == [2, 1, 0])
    }

    @Test(arguments: ["8 November 1994", "1994-11-08", "November 1994"])
    func `a text with the date in another form has all words of the query together`(query: String) throws {
        var builder = InvertedIndexBuilder()
        builder.add(IndexedText("An actor language, described on 1994-11-08 in a report", fields: [:]))
        builder.add(IndexedText("Eight reports of 1994", fields: [:]))
        var collection = TextCollection()
        collection.parts.append(TextPart(builder.finish()))
        let scores = try collection.scores(
            for: try collection.resolved(TextQuery(query), correctsSpelling: true))
        let breakdowns = scores.breakdowns(ofPart: 0, [0, 1])
        let found = try #require(breakdowns[0])
        #expect(found.words == scores.wordCount && scores.areTogether(in: found))
        #expect(breakdowns[1]?.words == 0)
    }

    @Test func `the name of a month in another language is not corrected`() throws {
        let texts = (0..<5).map { (title: "Planets \($0)", body: "The marx of mars in march 2025") }
        #expect(try ranking("4. März 2025", in: texts + [(title: "2025-03-04", body: "Bread")]).first == 5)
    }

    @Test func `an excerpt shows a date in another form`() throws {
        let text = "In 2025, much happened. " + String(repeating: "Nothing else. ", count: 60)
        let body = text + "We met on 4 May 2025 in the town." + text
        var builder = InvertedIndexBuilder()
        builder.add(IndexedText(body, fields: [:]))
        var collection = TextCollection()
        collection.parts.append(TextPart(builder.finish()))
        let query = try collection.resolved(TextQuery("2025-05-04"), correctsSpelling: true)
        let utf8 = Array(body.utf8)
        let found = utf8.withUnsafeBufferPointer { text in
            query.occurrences(in: text, within: 0..<text.count).map {
                String(decoding: text[$0.range], as: UTF8.self)
            }
        }
        #expect(found.contains("4 May 2025"))
    }
}
