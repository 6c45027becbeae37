import Foundation
import RoostModel
import Testing

@testable import RoostServer

/// Tests of times as people write them.
@Suite struct DateReaderTests {
    /// A Wednesday, 12:30 in the time zone of the calendar.
    private static let now = "2026-03-11T11:30:00Z"

    private var argument: DateReader {
        get throws {
            let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let now = try #require(try? Date(Self.now, strategy: .iso8601))
            return DateReader(now: now, calendar: calendar)
        }
    }

    @Test(arguments: [
        ("30m", "2026-03-11T11:00:00Z"), ("2d", "2026-03-09T11:30:00Z"), ("today", "2026-03-10T23:00:00Z"),
        ("Yesterday", "2026-03-09T23:00:00Z"), ("wednesday", "2026-03-03T23:00:00Z"),
        ("last-week", "2026-03-01T23:00:00Z"), ("last month", "2026-01-31T23:00:00Z"),
        ("3 weeks ago", "2026-02-17T23:00:00Z"), ("6 months ago", "2025-09-10T22:00:00Z"),
        ("2025", "2024-12-31T23:00:00Z"), ("2025-07", "2025-06-30T22:00:00Z"),
        ("2025-07-04", "2025-07-03T22:00:00Z"), ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"),
        ("2 weeks", "2026-02-24T23:00:00Z"), ("1 week", "2026-03-03T23:00:00Z"),
        ("2weeks", "2026-02-24T23:00:00Z"), ("7Days", "2026-03-03T23:00:00Z"),
        ("3months ago", "2025-12-10T23:00:00Z"), ("1y", "2025-03-11T11:30:00Z"),
        ("3mo", "2025-12-11T11:30:00Z"), ("this week", "2026-03-08T23:00:00Z"),
        ("This Month", "2026-02-28T23:00:00Z"), ("this year", "2025-12-31T23:00:00Z"),
        ("2026-02-03 08:00", "2026-02-03T07:00:00Z"), ("2026-02-03T08:00:30", "2026-02-03T07:00:30Z"),
        ("tomorrow", "2026-03-11T23:00:00Z"), ("2d ago", "2026-03-09T11:30:00Z"),
        ("3mo ago", "2025-12-11T11:30:00Z"), ("20 minutes ago", "2026-03-11T11:10:00Z"),
        ("2026/02/03", "2026-02-02T23:00:00Z"), ("March 3, 2026", "2026-03-02T23:00:00Z"),
    ])
    func `A time is read in each form`(text: String, expected: String) throws {
        let date = try argument.period(text)?.times.lowerBound
        #expect(date == (try? Date(expected, strategy: .iso8601)), "\(text)")
    }

    @Test(arguments: [
        ("today", "2026-03-11"), ("Yesterday", "2026-03-10"), ("tomorrow", "2026-03-12"),
        ("last week", "2026-03-02"), ("last month", "2026-02-01"), ("this year", "2026-01-01"),
        ("7d", "2026-03-04"), ("3 weeks ago", "2026-02-18"), ("monday", "2026-03-09"),
        ("2026-03-11", nil), ("2026", nil), ("", nil), ("soon", nil),
        ("last-week", "2026-03-02"), ("3-weeks-ago", "2026-02-18"), ("2 weeks", "2026-02-25"),
        ("2026-03-11T09:00:00Z", nil), ("2026-03-11 09:00", nil), ("some-text", nil),
        ("2026-03-11T09:00", nil), ("may", nil), ("now", "2026-03-11"),
    ])
    func `A relative time stands for a day`(text: String, expected: String?) throws {
        #expect(try argument.day(text) == expected, "\(text)")
    }

    @Test(arguments: [
        ("today", "2026-03-12"), ("tomorrow", "2026-03-13"),
        ("last week", "2026-03-09"), ("last month", "2026-03-01"), ("last year", "2026-01-01"),
        ("monday", "2026-03-10"), ("now", "2026-03-12"),
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
        ("tomorrow", "2026-03-12T23:00:00Z"), ("2026-02-03 08:00", "2026-02-03T07:00:00Z"),
        ("yesterday", "2026-03-10T23:00:00Z"), ("2025-03", "2025-03-31T22:00:00Z"),
        ("2d", "2026-03-09T11:30:00Z"), ("2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00Z"),
    ])
    func `A part of a calendar ends with the next one, and a moment at once`(
        text: String, expected: String
    ) throws {
        let end = try argument.period(text)?.times.upperBound
        #expect(end == (try? Date(expected, strategy: .iso8601)), "\(text)")
    }

    @Test(arguments: [
        "", "soon", "2026-13", "2026-02-30", "this", "this day", "2026-02-03 25:00", "ma", "x 2026",
        "99999999999999999999 days ago", "last", "past", "last soon", "past monday", "this hour", "ago",
        "last x hours", "last 3 march", "tonight at 8", "last 2025",
        "20-01-01", "mo", "-", "30 feb 2025", "3 march 25", "march 3 2025 x", "soon 08:00", "x ago",
        "0 march", "3/2/2026", "tonight", "last hour", "last monday", "march", "Jan 2026",
    ])
    func `Other texts are not times`(text: String) throws {
        let date = try argument.period(text)?.times.lowerBound
        #expect(date == nil, "\(text)")
    }
}
