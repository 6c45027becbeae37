import Foundation
import RoostModel
import Testing

@testable import RoostServer

@Suite struct EntryConditionDatesTests {
    private func times() throws -> DateReader {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // A Wednesday.
        return DateReader(now: try #require(DateText.date(from: "2026-03-11T12:30:00Z")), calendar: calendar)
    }

    private func matches(_ condition: String, _ value: MetadataValue) throws -> Bool {
        let condition = try EntryCondition(written: condition, try times())
        return condition.holds(of: Entry(content: "x", metadata: ["due": value]))
    }

    @Test(
        arguments: [
            ("due<=2026-01", "2026-01-31", true), ("due<2026-01", "2026-01-31", false),
            ("due<=2026-01", "2026-02-01", false), ("due>2026-01", "2026-01-31", false),
            ("due>2026-01", "2026-02-01", true), ("due>=2026-01", "2026-01", true),
            ("due<=2026-01-31", "2026-01-31T09:00:00Z", true), ("due<2026-01-31", "2026-01-31 09:00", false),
            ("due<2026-01-31T09:30", "2026-01-31T09:00:00Z", true),
            ("due>=2026-01-31 09:00", "2026-01-31 09:30", true),
            ("due>=2026-01-31T09:30", "2026-01-31T09:00:00Z", false),
            ("due<=2026-01-31T09:00", "2026-01-31T09:00:30Z", true),
            ("due>2026-01-31T09:00", "2026-01-31", false), ("due<2026-01-31T09:00", "2026-01", true),
            ("due<=2026", "2026-12-31", true), ("due<=2026", "2027-01-01", false),
            ("due>2025", "2026-01-01", true), ("due>2026", "2026-12-31", false),
            ("due>=2026", 2026, true), ("due>2025", "2025.5", true), ("due<2026", 7, true),
            // Words stand for days: of the month and the week before this one, and Monday.
            ("due<=last-month", "2026-02-28", true), ("due<=last-month", "2026-03-01", false),
            ("due<monday", "2026-03-08", true), ("due<monday", "2026-03-09", false),
            ("due<=monday", "2026-03-09T23:00:00Z", true), ("due>=today", "2026-03-11", true),
            ("due>today", "2026-03-11", false), ("due<now", "2026-03-10", true),
            ("due<=last-week", "2026-03-08", true), ("due<=last-week", "2026-03-09", false),
        ] as [(String, MetadataValue, Bool)])
    func `a date is compared in the precision of the operand`(
        condition: String, value: MetadataValue, expected: Bool
    ) throws {
        #expect(try matches(condition, value) == expected)
    }

    @Test(arguments: ["<", "<=", ">", ">="]) func `only dates are compared with a date`(sign: String) throws {
        let values: [MetadataValue] = [
            "soon", "", "!", "2026-1", "2026-01-3", "20260101", "2026-40-01", "2026-01-31 notes", 20_260_101,
            true, .null,
        ]
        for operand in ["2026-01", "2026-01-31", "last-month", "2026-01-31T09:00:00Z"] {
            for value in values {
                #expect(try !matches("due\(sign)\(operand)", value), "\(operand) \(value)")
            }
        }
        #expect(try matches("due>2025-01", ["soon", "2026-01-01"]))
        #expect(try !matches("due>2026-01", ["soon", "2026-01-01"]))
    }

    @Test(arguments: ["<", "<=", ">", ">="])
    func `a word for a time in quotation marks is text`(sign: String) throws {
        for word in ["now", "sun", "7d", "today"] {
            let condition = try EntryCondition(written: "name \(sign) \"\(word)\"", try times())
            #expect(condition == EntryCondition(parsing: "name\(sign)\(word)"))
        }
        #expect(try matches("due<\"now\"", "jane") && !matches("due<now", "jane"))
        // The dates of entries are no texts.
        #expect(throws: OperationError.self) { try EntryCondition(written: "created<\"soon\"", try times()) }
    }

    @Test func `other comparisons are those of texts and numbers`() throws {
        #expect(try matches("due>=soon", "soon") && matches("due<t", "soon") && matches("due<t", "2026-01"))
        #expect(try matches("due=2026-01", "2026-01") && !matches("due=2026-01", "2026-01-31"))
        // A text with a leading zero is neither a year nor a number.
        #expect(try matches("due>=0100", "0101") && matches("due>=0100", "soon"))
        #expect(try !matches("due>=0100", 200) && !matches("due<0100", "0101"))
        // A year is equal to a number, but not to the dates of the year.
        #expect(try matches("due=2026", 2026) && !matches("due=2026", "2026-01-31"))
        #expect(try matches("due!=2026", "2026-01-31") && !matches("due!=today", "today"))
        #expect(try matches("due=", "") && matches("due^=", "soon"))
    }

    @Test(
        arguments: [
            ("due", "takes a key"), ("=x", "takes a key"), ("due>=", "needs a value"),
            ("due <  ", "needs a value"), ("due<\"\"", "needs a value"), ("created>=soon", "not with 'soon'"),
            ("updated<2025-13", "not with '2025-13'"), ("updated>", "needs a value"),
            ("status==done", "takes a key"), ("year == 2020", "takes a key"),
        ])
    func `a text that is not a condition is refused`(text: String, reason: String) throws {
        let times = try times()
        let error = #expect(throws: OperationError.self) { try EntryCondition(written: text, times) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test(arguments: ["created>=7d", "created>=2025-06", "created=soon", "created exists", "updated<today"])
    func `conditions on the dates of entries keep their operand`(text: String) throws {
        #expect(try EntryCondition(written: text, try times()) == EntryCondition(parsing: text))
    }

    @Test func `the key tag stands for the tags of an entry`() throws {
        let entry = Entry(content: "x", metadata: ["tag": "own"], tags: ["Garden/Herbs"])
        for (text, isTrue) in [
            ("tag=garden", true), ("tags!=draft", true), ("tag!=garden", false),
            ("tag in draft,garden", true), ("tag missing", false), ("tag=own", false),
            ("metadata.tag=own", true), ("metadata.tags exists", false),
        ] {
            #expect(try EntryCondition(written: text, try times()).holds(of: entry) == isTrue, "\(text)")
        }
    }
}
