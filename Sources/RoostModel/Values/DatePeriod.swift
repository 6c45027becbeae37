public import Foundation

/// A half-open period of time, with which the dates of entries are compared.
///
/// Many texts state a day without a time, such as `date: 2025-06-01`. Stores keep such a date as the
/// beginning of the day in UTC, although it means the day in the time zone of the reader. A period therefore
/// has two ranges: one for these dates, and one for all others.
public struct DatePeriod: Sendable, Hashable {
    /// The range of the dates with a time of day.
    public var times: Range<Date>
    /// The range of the dates that are the beginning of a day in UTC, which denote the day.
    public var days: Range<Date>

    /// Creates a period with the same range for all dates.
    public init(_ times: Range<Date>) { self.init(times: times, days: times) }

    /// Creates a period with two ranges.
    package init(times: Range<Date>, days: Range<Date>) { (self.times, self.days) = (times, days) }

    /// Creates the period of a time range in the time zone of a calendar.
    ///
    /// A date without a time of day is in the period if a part of the day is.
    public init(_ times: Range<Date>, in calendar: Calendar) {
        let start = Self.day(of: times.lowerBound, in: calendar, roundedUp: false)
        let end = Self.day(of: times.upperBound, in: calendar, roundedUp: true)
        self.init(times: times, days: start..<max(start, end))
    }

    /// Returns whether the period contains a date. Dates have a resolution of one millisecond.
    public func contains(_ date: Date) -> Bool {
        (date.isDay ? days : times).milliseconds.contains(date.milliseconds)
    }

    /// Returns the common part of two periods.
    public func intersection(_ other: DatePeriod) -> DatePeriod {
        DatePeriod(times: times.clamped(to: other.times), days: days.clamped(to: other.days))
    }

    package static let dayLength: Int64 = 86_400_000

    /// Returns the beginning, in UTC, of the day in which a date is in the time zone of a calendar.
    private static func day(of date: Date, in calendar: Calendar, roundedUp: Bool) -> Date {
        // Dates outside of the range of stored dates stand for a range without a bound.
        guard date.isWritable else { return date }
        var days = Calendar(identifier: .gregorian)
        days.timeZone = .gmt
        let parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
        guard let day = days.date(from: parts) else { return date }
        let isStart = calendar.startOfDay(for: date) == date
        return roundedUp && !isStart ? day.addingTimeInterval(Double(dayLength) / 1000) : day
    }
}

extension Date {
    /// Whether the date is the beginning of a day in UTC, and therefore denotes that day in every time zone.
    package var isDay: Bool { milliseconds % DatePeriod.dayLength == 0 }
}

extension Range<Date> {
    /// The range in whole milliseconds, which is the resolution of stored dates.
    package var milliseconds: Range<Int64> {
        // The result begins with the first whole millisecond at or after the lower bound, and ends before
        // the first one at or after the upper bound. Both bounds are therefore rounded up. A bound that
        // differs from a whole millisecond by less than the precision of a date is that millisecond.
        func up(_ date: Date) -> Int64 {
            let value = date.timeIntervalSince1970 * 1000
            let isWhole = abs(value - value.rounded()) < 1e-3
            let whole = value.rounded(isWhole ? .toNearestOrAwayFromZero : .up)
            return Int64(exactly: whole) ?? (whole < 0 ? .min : .max)
        }
        let start = up(lowerBound)
        return start..<Swift.max(start, up(upperBound))
    }
}
