import Foundation
import RoostModel
import Testing

@testable import RoostServer

@Suite struct DatePeriodTests {
    private static let zones = [
        "UTC", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati", "Africa/Cairo", "Asia/Kolkata",
    ]

    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func date(_ text: String) throws -> Date { try #require(DateText.date(from: text)) }

    @Test(arguments: zones)
    func `a day contains the date of the day and the times of the time zone`(zone: String) throws {
        let calendar = try calendar(zone)
        let reader = DateReader(now: Date(), calendar: calendar)
        // In Cairo, this day begins at one o'clock.
        for day in ["2025-06-01", "2025-04-25", "2024-02-29"] {
            let period = try #require(reader.period(day))
            let midnight = try date("\(day)T00:00:00Z")
            #expect(period.contains(midnight))
            #expect(!period.contains(midnight.addingTimeInterval(86_400)))
            #expect(!period.contains(midnight.addingTimeInterval(-86_400)))
            let noon = try #require(
                calendar.date(bySettingHour: 12, minute: 0, second: 1, of: period.times.lowerBound))
            #expect(period.contains(noon))
            #expect(!period.contains(noon.addingTimeInterval(86_400)))
        }
        let month = try #require(reader.period("2025-02"))
        #expect(month.contains(try date("2025-02-01T00:00:00Z")))
        #expect(month.contains(try date("2025-02-28T00:00:00Z")))
        #expect(!month.contains(try date("2025-03-01T00:00:00Z")))
        #expect(reader.period("2025-02-30") == nil)
        #expect(reader.period("25-02") == nil)
    }

    @Test(arguments: [
        ("created>=2025", true), ("created>2025", false), ("created=2025-06", true),
        ("created=2025-06-01", true), ("created<2025-06-02", true), ("created<2025-06-01", false),
        ("created<=2025-06-01", true), ("updated<=2025-06-01", false), ("updated>2025-06-01", true),
        ("updated=2025-07-01T12:00:00Z", true), ("updated<=2025-07-01T12:00:00Z", true),
        ("updated<2025-07-01T12:00:00Z", false), ("updated>2025-07-01T12:00:00Z", false),
        ("updated>=2025-07-01T12:00:00Z", true),
    ])
    func `a condition compares the dates of an entry`(text: String, matches: Bool) throws {
        let entry = Entry(
            content: "x", createdAt: try date("2025-06-01T00:00:00Z"),
            updatedAt: try date("2025-07-01T12:00:00Z"))
        var filter = EntryFilter()
        let condition = try #require(EntryCondition(parsing: text))
        let isAdded = filter.addDates(condition, naming: DatePeriod.init(inUTC:))
        #expect(isAdded && filter.conditions.isEmpty)
        #expect(filter.matches(entry, assigned: nil) == matches)
    }

    @Test func `other conditions stay conditions of metadata`() throws {
        for text in ["created=soon", "created exists", "created!=2025", "due>=2025", "updated in 2024,2025"] {
            var filter = EntryFilter()
            let condition = try #require(EntryCondition(parsing: text))
            let isAdded = filter.addDates(condition, naming: DatePeriod.init(inUTC:))
            #expect(!isAdded && filter == .all, "\(text)")
        }
    }

    @Test func `several conditions on one date must all be true`() throws {
        var filter = EntryFilter()
        for text in ["created>=2025-02", "created<2025-04", "created<2025-03"] {
            let condition = try #require(EntryCondition(parsing: text))
            _ = filter.addDates(condition, naming: DatePeriod.init(inUTC:))
        }
        let range = try date("2025-02-01T00:00:00Z")..<date("2025-03-01T00:00:00Z")
        #expect(filter.created == range && filter.creationPeriod?.days == range)
    }

    @Test func `a period finds what was created or changed in it`() throws {
        var entry = Entry(content: "x", createdAt: try date("2020-01-01T00:00:00Z"))
        entry.updatedAt = try date("2025-06-10T08:00:00Z")
        func finds(_ since: String?, _ until: String?) -> Bool {
            var filter = EntryFilter()
            filter.setPeriod(
                since: since.flatMap(DatePeriod.init(inUTC:)), until: until.flatMap(DatePeriod.init(inUTC:)))
            return filter.matches(entry, assigned: nil)
        }
        #expect(finds("2020", "2020") && finds("2025-06-10", "2025-06-10") && finds(nil, "2020-01-01"))
        #expect(finds("2025", nil) && finds(nil, nil) && finds("2020-01-01", "2020-01-01"))
        #expect(!finds("2021", "2024") && !finds(nil, "2019") && !finds("2025-06-11", nil))
        #expect(!finds("2025-06-10T08:00:01Z", nil) && !finds("2020-01-02", "2025-06-10T08:00:00Z"))
    }

    @Test func `equality and hashes of filters include periods`() throws {
        let range = try date("2025-02-01T00:00:00Z")..<date("2025-03-01T00:00:00Z")
        var (first, second) = (EntryFilter(), EntryFilter())
        first.created = range
        #expect(first != second && !first.matchesAll)
        second.creationPeriod = DatePeriod(range)
        #expect(first == second && first.hashValue == second.hashValue)
        second.creationPeriod?.days = range.lowerBound..<range.lowerBound
        #expect(first != second)
        first = EntryFilter()
        first.period = DatePeriod(range)
        #expect(first != .all)
    }
}

extension DatePeriod {
    /// Creates the period that a text names in UTC; `nil` if it names no time.
    fileprivate init?(inUTC text: String) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let period = DateReader(now: Date(), calendar: calendar).period(text) else { return nil }
        self = period
    }
}
