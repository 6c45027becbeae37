import Foundation
import RoostModel
import Testing

@testable import RoostMemory

/// Tests of the times that questions mention.
struct TimesInTextTests {
    private typealias Parts = TimesInText.Parts

    private func date(_ text: String) throws -> Date { try #require(DateText.date(from: text)) }

    private func times(_ text: String) throws -> TimesInText {
        // The present time is a Wednesday.
        TimesInText(text, now: try date("2024-05-15T10:00:00.000Z"), timeZone: .gmt)
    }

    @Test(
        arguments: [
            ("What did John host in May 2023?", [(2023, 5, nil)]),
            ("What natural disaster was there on 7 July, 2023?", [(2023, 7, 7)]),
            ("the painting of October 13, 2023", [(2023, 10, 13)]),
            ("on the 3rd of June 2023", [(2023, 6, 3)]), ("on the 3rd of June", [(nil, 6, 3)]),
            ("the parade in August", [(nil, 8, nil)]), ("How often in 2023?", [(2023, nil, nil)]),
            ("said on 2023-07-09?", [(2023, 7, 9)]), ("sept 2", [(nil, 9, 2)]),
            ("MARCH 3RD 1999", [(1999, 3, 3)]), ("in march", [(nil, 3, nil)]),
            ("between June and July 2024", [(nil, 6, nil), (2024, 7, nil)]),
            ("you may march on", []), ("May I ask?", []), ("dec the halls", []), ("room 2500, 12 eggs", []),
            ("the augustus of june", [(nil, 6, nil)]), ("", []), ("13 13 2023-13-40", [(2023, nil, nil)]),
            ("99th of June", [(nil, 6, nil)]), ("apples in Sept 2023", [(2023, 9, nil)]),
            ("Sept 5, 2023", [(2023, 9, 5)]), ("July 7 of 2023", [(2023, 7, 7)]),
            ("in 2023-07?", [(2023, 7, nil)]), ("in 2023 12 people", [(2023, nil, nil)]),
            ("in May 2022 and 2023", [(2022, 5, nil), (2023, nil, nil)]),
        ] as [(String, [(Int?, Int?, Int?)])])
    func `days, months and years are read`(text: String, expected: [(Int?, Int?, Int?)]) throws {
        let found = try times(text)
        #expect(
            found.parts == Set(expected.map { Parts(year: $0.0, month: $0.1, day: $0.2) }), "\(found.parts)")
        #expect(found.spans.isEmpty && found.isEmpty == expected.isEmpty)
    }

    @Test(
        arguments: [
            ("what did we say yesterday", "2024-05-14", "2024-05-15"), ("today", "2024-05-15", "2024-05-16"),
            ("last week", "2024-05-06", "2024-05-13"), ("this month", "2024-05-01", "2024-06-01"),
            ("last year's plan", "2023-01-01", "2024-01-01"), ("three days ago", "2024-05-12", "2024-05-13"),
            ("2 weeks ago", "2024-04-29", "2024-05-06"), ("a month ago", "2024-04-01", "2024-05-01"),
            ("the day before yesterday", "2024-05-13", "2024-05-14"),
            ("what did we decide last Friday?", "2024-05-10", "2024-05-11"),
            ("on Monday", "2024-05-13", "2024-05-14"), ("on wednesday", "2024-05-08", "2024-05-09"),
            ("this Tuesday", "2024-05-14", "2024-05-15"), ("since Monday", "2024-05-13", "2024-05-16"),
            ("since yesterday", "2024-05-14", "2024-05-16"), ("since last week", "2024-05-06", "2024-05-16"),
            ("last weekend", "2024-05-11", "2024-05-13"), ("this weekend", "2024-05-18", "2024-05-20"),
            ("last night", "2024-05-14", "2024-05-15"), ("this morning", "2024-05-15", "2024-05-16"),
            ("the past three days", "2024-05-12", "2024-05-16"), ("past week", "2024-05-08", "2024-05-16"),
            ("in the last 2 months", "2024-03-15", "2024-05-16"),
        ])
    func `spans relative to the present time are read`(text: String, start: String, end: String) throws {
        let expected = try date(start + "T00:00:00.000Z")..<(try date(end + "T00:00:00.000Z"))
        #expect(try times(text).spans == [expected])
    }

    @Test(
        arguments: [
            "the last one", "ago", "days ago", "9999999 days ago", "this", "-1 days", "the last day",
            "the Monday meeting", "this two weeks", "last 5000 years", "past", "every weekend",
            "the last three days of the trip", "the last Friday of the trip", "the last night of the trip",
            "the last weekend of the trip", "the last week of the trip",
        ])
    func `a text without a time contains no times`(text: String) throws { #expect(try times(text).isEmpty) }

    @Test func `a time contains the dates of its day in its time zone`() throws {
        let july = try times("on 7 July")
        #expect(july.contains(try date("2019-07-07T23:59:59.999Z")))
        #expect(!july.contains(try date("2019-07-08T00:00:00.000Z")) && july.ranges.isEmpty)
        let late = try date("2023-07-07T23:30:00.000Z")
        let east = TimesInText(
            "8 July 2023", now: late, timeZone: try #require(TimeZone(secondsFromGMT: 3600)))
        #expect(east.contains(late) && east.ranges.first?.contains(late) == true)
        let year = try times("in 2023")
        #expect(year.contains(late) && year.ranges.count == 1)
        // A day that does not exist contains no time.
        let none = try times("on 31 June 2023")
        #expect(!none.contains(late))
        #expect(try times(String(repeating: "in may 2023 ", count: 10_000)).parts.count == 1)
    }

    @Test(
        arguments: [
            ("What happened on 13 November 2026?", "what happened on"),
            ("the heron of the 7th of July, 2023", "the heron of the"), ("2023-07-09 swifts", "swifts"),
            ("what did Ada say three days ago", "what did ada say"), ("swifts in 2023", "swifts in"),
            ("last week's plan", "s plan"), ("no time", "no time"),
            ("the plan of the day before yesterday", "the plan of the"),
            ("the tests in the last 3 days", "the tests in the"),
            // The preposition stays, and a search ignores it.
            ("what did Ada say on Monday", "what did ada say on"), ("tea last Friday", "tea"),
        ])
    func `the words outside of times are known`(text: String, expected: String) throws {
        #expect(try times(text).otherWords.joined(separator: " ") == expected)
    }

    @Test func `a text with a time and general words only has no subject`() throws {
        #expect(try times("What did we talk about on 13 November 2026?").haveNoSubject)
        #expect(try !times("What did Ada paint on 13 November 2026?").haveNoSubject)
        #expect(try !times("What happened?").haveNoSubject)
    }

    @Test(
        arguments: [
            ("what did I do on 4 May 2025", "2025-05-04", "2025-05-05"),
            ("in May 2025", "2025-05-01", "2025-06-01"),
            ("what did we say yesterday?", "2024-05-14", "2024-05-15"),
        ])
    func `a text can name one period`(text: String, first: String, end: String) throws {
        let period = try #require(try times(text).onlyPeriod)
        #expect(period == (try date("\(first)T00:00:00Z"))..<(try date("\(end)T00:00:00Z")))
    }

    @Test(
        arguments: [
            "31 February 2025", "4 May", "the law of 2025", "June and July 2025", "a boat",
            "2024-05-01 or today",
        ])
    func `other texts name no single period`(text: String) throws {
        #expect(try times(text).onlyPeriod == nil)
    }
}
