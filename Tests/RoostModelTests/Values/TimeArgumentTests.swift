import Foundation
import Testing

@testable import RoostModel

/// Tests of times as people write them.
@Suite struct TimeArgumentTests {
    /// A Wednesday, 12:30 in the time zone of the calendar.
    private static let now = "2026-03-11T11:30:00Z"

    private var argument: TimeArgument {
        get throws {
            let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let now = try #require(try? Date(Self.now, strategy: .iso8601))
            return TimeArgument(now: now, calendar: calendar)
        }
    }

    @Test(arguments: [
        ("30m", "2026-03-11T11:00:00Z"),
        ("2d", "2026-03-09T11:30:00Z"),
        ("today", "2026-03-10T23:00:00Z"),
        ("Yesterday", "2026-03-09T23:00:00Z"),
        ("last monday", "2026-03-08T23:00:00Z"),
        ("wednesday", "2026-03-03T23:00:00Z"),
        ("last-week", "2026-03-01T23:00:00Z"),
        ("last month", "2026-01-31T23:00:00Z"),
        ("last day", "2026-03-09T23:00:00Z"),
        ("3 weeks ago", "2026-02-17T23:00:00Z"),
        ("an hour ago", "2026-03-11T10:30:00Z"),
        ("6 months ago", "2025-09-10T22:00:00Z"),
        ("2025", "2024-12-31T23:00:00Z"),
        ("2025-07", "2025-06-30T22:00:00Z"),
        ("2025-07-04", "2025-07-03T22:00:00Z"),
        ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"),
        ("-2d", "2026-03-09T11:30:00Z"),
        ("2 weeks", "2026-02-24T23:00:00Z"),
        ("1 week", "2026-03-03T23:00:00Z"),
        ("2weeks", "2026-02-24T23:00:00Z"),
        ("7Days", "2026-03-03T23:00:00Z"),
        ("90min", "2026-03-11T10:00:00Z"),
        ("last 7days", "2026-03-03T23:00:00Z"),
        ("3months ago", "2025-12-10T23:00:00Z"),
        ("1y", "2025-03-11T11:30:00Z"),
        ("3mo", "2025-12-11T11:30:00Z"),
        ("this week", "2026-03-08T23:00:00Z"),
        ("This Month", "2026-02-28T23:00:00Z"),
        ("this year", "2025-12-31T23:00:00Z"),
        ("2026-02-03 08:00", "2026-02-03T07:00:00Z"),
        ("2026-02-03T08:00:30", "2026-02-03T07:00:30Z"),
        ("Jan 2026", "2025-12-31T23:00:00Z"),
        ("march", "2026-02-28T23:00:00Z"),
        ("April", "2025-03-31T22:00:00Z"),
        ("tomorrow", "2026-03-11T23:00:00Z"),
        ("two weeks ago", "2026-02-24T23:00:00Z"),
        ("2d ago", "2026-03-09T11:30:00Z"),
        ("3mo ago", "2025-12-11T11:30:00Z"),
        ("3 March 2025", "2025-03-02T23:00:00Z"),
        ("March 3, 2025", "2025-03-02T23:00:00Z"),
        ("mar 3rd", "2026-03-02T23:00:00Z"),
        ("12 mar", "2025-03-11T23:00:00Z"),
        ("29 feb", "2024-02-28T23:00:00Z"),
        ("yesterday 08:00", "2026-03-10T07:00:00Z"),
        ("monday 08:00", "2026-03-09T07:00:00Z"),
        ("last hour", "2026-03-11T10:30:00Z"),
        ("past hour", "2026-03-11T10:30:00Z"),
        ("last-minute", "2026-03-11T11:29:00Z"),
        ("Last 24 hours", "2026-03-10T11:30:00Z"),
        ("past 24h", "2026-03-10T11:30:00Z"),
        ("last two weeks", "2026-02-24T23:00:00Z"),
        ("past week", "2026-03-03T23:00:00Z"),
        ("past month", "2026-02-10T23:00:00Z"),
        ("20 minutes ago", "2026-03-11T11:10:00Z"),
        ("5 mins ago", "2026-03-11T11:25:00Z"),
        ("this morning", "2026-03-10T23:00:00Z"),
        ("this afternoon", "2026-03-11T11:00:00Z"),
        ("this evening", "2026-03-11T17:00:00Z"),
        ("tonight", "2026-03-11T17:00:00Z"),
        ("2026/02/03", "2026-02-02T23:00:00Z"),
        ("2026/2/3 08:00", "2026-02-03T07:00:00Z"),
        ("2026.02.03", "2026-02-02T23:00:00Z"),
        ("2026-2-3", "2026-02-02T23:00:00Z"),
        ("3.2.2026", "2026-02-02T23:00:00Z"),
        ("03.02.2026 08:00", "2026-02-03T07:00:00Z"),
    ])
    func `A time is read in each form`(text: String, expected: String) throws {
        let date = try argument.date(text)
        #expect(date == (try? Date(expected, strategy: .iso8601)), "\(text)")
    }

    @Test(arguments: [
        "3/2/2026", "2026/2-3", "2026/13/1", "2026/2/30", "32.1.2026", "1.2.26", "2026/2/3/4", "2026/2/345",
    ])
    func `Digits that are no day or can be two days are no time`(text: String) throws {
        #expect(try argument.date(text) == nil)
    }

    @Test(arguments: [
        ("3/2/2026", "write the day as 2026-02-03 or 2026-03-02"),
        ("2/2/2026", "write the day as 2026-02-02"),
        ("13/2/2026", "write the day as 2026-02-13"), ("13/14/2026", nil), ("soon", nil),
    ])
    func `The advice on a day that can be two days names both`(text: String, expected: String?) {
        #expect(TimeArgument.advice(on: text) == expected)
    }

    @Test(arguments: [
        ("today", "2026-03-11"), ("Yesterday", "2026-03-10"), ("tomorrow", "2026-03-12"),
        ("last week", "2026-03-02"), ("last month", "2026-02-01"), ("this year", "2026-01-01"),
        ("7d", nil), ("last monday", "2026-03-09"), ("3 weeks ago", "2026-02-18"), ("monday", "2026-03-09"),
        ("2026-03-11", nil), ("2026", nil), ("", nil), ("soon", nil),
        ("last-week", "2026-03-02"), ("3_weeks_ago", "2026-02-18"), ("last 24 hours", "2026-03-10"),
        ("jan 2026", "2026-01-01"), ("tonight", "2026-03-11"), ("2 weeks", "2026-02-25"),
        ("2026-03-11T09:00:00Z", nil), ("2026-03-11 09:00", nil), ("some-text", nil),
        ("2026-03-11T09:00", nil), ("March", "2026-03-01"), ("may", "2025-05-01"), ("now", "2026-03-11"),
    ])
    func `A relative time stands for a day`(text: String, expected: String?) throws {
        #expect(try argument.day(text) == expected, "\(text)")
    }

    @Test(arguments: [
        ("today", "2026-03-12"), ("tomorrow", "2026-03-13"), ("last monday", "2026-03-10"),
        ("last week", "2026-03-09"), ("last month", "2026-03-01"), ("last year", "2026-01-01"),
        ("last-hour", "2026-03-12"), ("this morning", "2026-03-12"), ("jan 2026", "2026-02-01"),
        ("monday", "2026-03-10"), ("february", "2026-03-01"), ("now", "2026-03-12"),
    ])
    func `The day after a relative time is the first one after its period`(
        text: String, expected: String
    ) throws {
        #expect(try argument.day(text, isNext: true) == expected, "\(text)")
    }

    @Test(arguments: [
        ("last week", "2026-03-08T23:00:00Z"), ("last month", "2026-02-28T23:00:00Z"),
        ("Last year", "2025-12-31T23:00:00Z"), ("3 weeks ago", "2026-02-18T23:00:00Z"),
        ("this week", "2026-03-15T23:00:00Z"), ("this year", "2026-12-31T23:00:00Z"),
        ("Jan 2026", "2026-01-31T23:00:00Z"), ("tomorrow", "2026-03-12T23:00:00Z"),
        ("2026-02-03 08:00", "2026-02-03T07:00:00Z"), ("3 march 2025", "2025-03-03T23:00:00Z"),
        ("last hour", "2026-03-11T10:30:00Z"), ("this morning", "2026-03-11T11:00:00Z"),
        ("tonight", "2026-03-11T23:00:00Z"),
    ])
    func `A part of a calendar ends with the next one, and a moment at once`(
        text: String, expected: String
    ) throws {
        let end = try argument.period(text)?.times.upperBound
        #expect(end == (try? Date(expected, strategy: .iso8601)), "\(text)")
    }

    @Test(arguments: [
        "", "soon", "2026-13", "2026-02-30", "--5d", "this", "this day", "2026-02-03 25:00", "ma", "x 2026",
        "99999999999999999999 days ago", "last", "past", "last soon", "past monday", "this hour", "ago",
        "last x hours", "last 3 march", "tonight at 8", "last 2025",
        "20-01-01", "mo", "-", "30 feb 2025", "3 march 25", "march 3 2025 x", "soon 08:00", "x ago",
        "0 march",
    ])
    func `Other texts are not times`(text: String) throws {
        let date = try argument.date(text)
        #expect(date == nil, "\(text)")
    }

    @Test(arguments: [
        ("yesterday", "2026-03-09T23:00:00Z", "2026-03-10T23:00:00Z"),
        ("last week", "2026-03-01T23:00:00Z", "2026-03-08T23:00:00Z"),
        ("2025-03", "2025-02-28T23:00:00Z", "2025-03-31T22:00:00Z"),
        ("2d", "2026-03-09T11:30:00Z", "2026-03-09T11:30:00Z"),
        ("2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z"),
    ])
    func `A time has a beginning and an end`(text: String, start: String, end: String) throws {
        let times = try #require(try argument.period(text)).times
        #expect(times.lowerBound == (try? Date(start, strategy: .iso8601)))
        #expect(times.upperBound == (try? Date(end, strategy: .iso8601)))
    }
}
