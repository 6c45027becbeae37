package import Foundation

/// Reads times as people write them, such as `yesterday`, `3 weeks ago` or `2025-03`. The words are separated
/// by spaces or hyphens:
///
///     time     = 2026 | 2026-01 | 2026-01-31 | 2026-01-31T09:00:00Z | 2026-01-31 09:00
///              | now | today | yesterday | tomorrow | WEEKDAY
///              | (this | last) (week | month | year)
///              | COUNT UNIT [ago]
///     COUNT UNIT = 30m, 12h, 7d, 2w, 3mo, 1y, or in words: 30 minutes, 12 hours, 7 days, 2 weeks, ...
///
/// A weekday is the last one before today. Counted units count back from now.
package struct TimeArgument {
    /// The time from which relative times count.
    package let now: Date
    /// The calendar and time zone in which days begin.
    package let calendar: Calendar

    package init(now: Date, calendar: Calendar = Calendar(identifier: .gregorian)) {
        (self.now, self.calendar) = (now, calendar)
    }

    /// The forms of a time, for messages.
    package static let forms =
        "12h, 7d, 2w, 3mo, 1y, '3 weeks ago', today, yesterday, monday, 'last month', 2026, 2026-01, "
        + "2026-01-31, '2026-01-31 09:00' or 2026-01-31T09:00:00Z"

    private static let units: [String: Calendar.Component] = [
        "m": .minute, "minute": .minute, "h": .hour, "hour": .hour, "d": .day, "day": .day,
        "w": .weekOfYear, "week": .weekOfYear, "mo": .month, "month": .month, "y": .year, "year": .year,
    ]
    private static let weekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    /// The maximum number of units before now, so that the result can be stored.
    private static let maximumCount = 100_000

    /// Returns the time that a text describes; `nil` if it has none of the forms. A day, month or year stands
    /// for its first moment in the calendar's time zone.
    package func date(_ text: String) -> Date? { period(text)?.times.lowerBound }

    /// Returns the period that a text describes: a day, week, month or year in the calendar's time zone, or a
    /// moment, whose period is empty; `nil` if the text has none of the forms.
    package func period(_ text: String) -> DatePeriod? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let named = DatePeriod(naming: text, in: calendar) { return named }
        if let moment = DateText.date(from: text) ?? localTime(text) { return self.moment(moment) }
        let words = text.lowercased().split { " -".contains($0) }.map(String.init)
        switch words.count {
        case 1: return day(named: words[0]) ?? counted(words[0])
        case 2 where words[0] == "this" || words[0] == "last":
            return Self.unit(words[1]).flatMap { period(of: $0, offset: words[0] == "this" ? 0 : -1) }
        case 2: return words[1] == "ago" ? counted(words[0]) : counted(words[0] + words[1])
        case 3 where words[2] == "ago": return counted(words[0] + words[1])
        default: return nil
        }
    }

    /// Returns the day that words such as `today`, `monday`, `last-week` or `3 weeks ago` stand for, or the
    /// first day of their period, in the form 2026-01-31; `nil` for other texts, and for dates in digits.
    ///
    /// - Parameter isNext: Whether to return the first day after the day or period instead.
    package func day(_ text: String, isNext: Bool = false) -> String? {
        guard text.contains(where: \.isLetter), !EntryCondition.Test.isDate(text.uppercased()),
            let times = period(text)?.times
        else { return nil }
        guard isNext else { return dayText(times.lowerBound) }
        // The last day is the one of the last moment. A moment has no end of its own.
        let last = max(times.lowerBound, times.upperBound.addingTimeInterval(-1))
        return calendar.date(byAdding: .day, value: 1, to: calendar.startOfDay(for: last)).flatMap(dayText)
    }

    private func dayText(_ date: Date) -> String? {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        return String(format: "%04d-%02d-%02d", year, month, day)
    }

    private func moment(_ date: Date) -> DatePeriod { DatePeriod(date..<date, in: calendar) }

    private func days(from date: Date, count: Int) -> DatePeriod? {
        let start = calendar.startOfDay(for: date)
        guard let next = calendar.date(byAdding: .day, value: count, to: start) else { return nil }
        return DatePeriod(start..<max(start, calendar.startOfDay(for: next)), in: calendar)
    }

    private func day(named name: String) -> DatePeriod? {
        let offset: Int
        switch name {
        case "now": return moment(now)
        case "today": offset = 0
        case "yesterday": offset = -1
        case "tomorrow": offset = 1
        default:
            guard name.count >= 3, let index = Self.weekdays.firstIndex(where: { $0.hasPrefix(name) }) else {
                return nil
            }
            let passed = (calendar.component(.weekday, from: now) - 1 - index + 7) % 7
            offset = passed == 0 ? -7 : -passed
        }
        return calendar.date(byAdding: .day, value: offset, to: now).flatMap { days(from: $0, count: 1) }
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
        return isTime ? moment(date) : days(from: date, count: 1)
    }

    /// Returns a week, which begins on Monday, a month or a year.
    ///
    /// - Parameter offset: The number of units after the one that contains the present.
    private func period(of unit: Calendar.Component, offset: Int) -> DatePeriod? {
        guard let date = calendar.date(byAdding: unit, value: offset, to: now) else { return nil }
        let parts = calendar.dateComponents([.year, .month, .weekday], from: date)
        guard let year = parts.year, let month = parts.month, let weekday = parts.weekday else { return nil }
        switch unit {
        case .weekOfYear:
            let monday = calendar.date(byAdding: .day, value: -((weekday + 5) % 7), to: date)
            return monday.flatMap { days(from: $0, count: 7) }
        case .month: return DatePeriod(naming: String(format: "%04d-%02d", year, month), in: calendar)
        case .year: return DatePeriod(naming: String(format: "%04d", year), in: calendar)
        default: return nil
        }
    }

    /// Reads a day and a time in the calendar's time zone, such as `2026-01-31 09:00`.
    private func localTime(_ text: String) -> Date? {
        let parts = text.split { $0 == " " || $0 == "T" }
        guard parts.count == 2, let day = DatePeriod(naming: String(parts[0]), in: calendar),
            let match = parts[1].wholeMatch(of: /([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?/),
            let hour = Int(match.1), let minute = Int(match.2), hour < 24, minute < 60
        else { return nil }
        let second = match.3.flatMap { Int($0) } ?? 0
        guard parts[0].utf8.count == 10, second < 60 else { return nil }
        return calendar.date(bySettingHour: hour, minute: minute, second: second, of: day.times.lowerBound)
    }
}
