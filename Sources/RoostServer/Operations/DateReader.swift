import Foundation
import RoostModel

/// Reads dates of every form: those of ``WrittenDate``, and those that depend on the present, such as
/// `yesterday` or `3 weeks ago`. The words are separated by spaces or hyphens:
///
///     relative = now | today | yesterday | tomorrow | WEEKDAY | (this | last) (week | month | year)
///              | COUNT UNIT [ago]
///     COUNT UNIT = 30m, 12h, 7d, 2w, 3mo, 1y, or in words: 30 minutes, 12 hours, 7 days, 2 weeks, ...
///
/// A weekday is the last one before today. Counted units count back from now.
struct DateReader {
    /// The time from which relative dates count.
    private let now: Date
    /// The calendar and time zone in which days begin. Its weeks begin on Monday.
    private var calendar: Calendar

    init(now: Date, calendar: Calendar = Calendar(identifier: .gregorian)) {
        (self.now, self.calendar) = (now, calendar)
        self.calendar.firstWeekday = 2
    }

    private static let units: [String: Calendar.Component] = [
        "m": .minute, "minute": .minute, "h": .hour, "hour": .hour, "d": .day, "day": .day,
        "w": .weekOfYear, "week": .weekOfYear, "mo": .month, "month": .month, "y": .year, "year": .year,
    ]
    private static let weekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    /// The maximum number of units before now, so that the result can be stored.
    private static let maximumCount = 100_000

    /// Returns the period that a text describes: a day, week, month or year in the calendar's time zone, or a
    /// moment, whose period is empty; `nil` if the text has none of the forms.
    func period(_ text: String) -> DatePeriod? {
        if let date = DateText.date(from: text) { return moment(date) }
        if let date = WrittenDate(text) { return date.period(in: calendar) }
        let words = text.lowercased().split { $0 == "-" || $0.isWhitespace }.map(String.init)
        switch words.count {
        case 1: return day(named: words[0]) ?? counted(words[0])
        case 2 where words[0] == "this" || words[0] == "last":
            guard let unit = Self.unit(words[1]), [.weekOfYear, .month, .year].contains(unit) else {
                return nil
            }
            return period(of: unit, offset: words[0] == "this" ? 0 : -1)
        case 2: return words[1] == "ago" ? counted(words[0]) : counted(words[0] + words[1])
        case 3 where words[2] == "ago": return counted(words[0] + words[1])
        default: return nil
        }
    }

    /// Returns the day that words such as `today`, `monday`, `last-week` or `3 weeks ago` stand for, or the
    /// first day of their period, in the form 2026-01-31; `nil` for other texts, and for dates in digits.
    ///
    /// - Parameter isNext: Whether to return the first day after the day or period instead.
    func day(_ text: String, isNext: Bool = false) -> String? {
        guard text.contains(where: \.isLetter), !EntryCondition.Test.isDate(text.uppercased()),
            let period = period(text)
        else { return nil }
        // A period of a moment ends with its day, too.
        return DateText.day(of: isNext ? period.days.upperBound : period.days.lowerBound)
    }

    private func moment(_ date: Date) -> DatePeriod { DatePeriod(date..<date, in: calendar) }

    /// Returns the day, week, month or year that contains the time a number of units after now.
    private func period(of unit: Calendar.Component, offset: Int) -> DatePeriod? {
        calendar.date(byAdding: unit, value: offset, to: now).flatMap { period(of: unit, containing: $0) }
    }

    private func period(of unit: Calendar.Component, containing date: Date) -> DatePeriod? {
        guard let interval = calendar.dateInterval(of: unit, for: date) else { return nil }
        return DatePeriod(interval.start..<interval.end, in: calendar)
    }

    private func day(named name: String) -> DatePeriod? {
        switch name {
        case "now": return moment(now)
        case "today": return period(of: .day, offset: 0)
        case "yesterday": return period(of: .day, offset: -1)
        case "tomorrow": return period(of: .day, offset: 1)
        default:
            guard name.count >= 3, let index = Self.weekdays.firstIndex(where: { $0.hasPrefix(name) }) else {
                return nil
            }
            let passed = (calendar.component(.weekday, from: now) - 1 - index + 7) % 7
            return period(of: .day, offset: passed == 0 ? -7 : -passed)
        }
    }

    private static func unit(_ word: some StringProtocol) -> Calendar.Component? {
        units[String(word)] ?? (word.hasSuffix("s") ? units[String(word.dropLast())] : nil)
    }

    /// Reads a number of units before now, such as `7d` or `7days`. Days and longer units in words, such as
    /// `7days`, count in whole days; all others are a moment.
    private func counted(_ text: String) -> DatePeriod? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let count = Int(digits), count <= Self.maximumCount, let unit = Self.unit(name),
            let date = calendar.date(byAdding: unit, value: -count, to: now)
        else { return nil }
        let isTime = name.count <= 2 || unit == .minute || unit == .hour
        return isTime ? moment(date) : period(of: .day, containing: date)
    }
}
