package import Foundation

/// Reads times as people write them, such as `yesterday`, `3 weeks ago` or `2025-03`.
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
        "30m, 12h, 7d, 2w, 3mo, 1y, today, yesterday, 'this morning', 'last hour', 'last monday', '3 weeks "
        + "ago', 'last month', 'Jan 2026', '3 March 2026', 2026, 2026-01, 2026-01-31, '2026-01-31 09:00' or "
        + "2026-01-31T09:00:00Z"

    private static let units: [String: Calendar.Component] = [
        "m": .minute, "min": .minute, "minute": .minute, "h": .hour, "hour": .hour, "d": .day, "day": .day,
        "w": .weekOfYear, "week": .weekOfYear, "month": .month, "y": .year, "year": .year,
    ]
    /// The units that follow a number directly, which have always been durations of fixed length.
    private static let suffixes: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
    private static let weekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    private static let numbers = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8,
        "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    ]

    /// Returns the time that a text describes; `nil` if it has none of the known forms. A day, month or year
    /// stands for its first moment in the calendar's time zone.
    package func date(_ text: String) -> Date? {
        period(text)?.times.lowerBound
    }

    /// Returns the period that a text describes: a day, month or year in the calendar's time zone, or a
    /// moment, whose period is empty; `nil` if the text has none of the known forms.
    package func period(_ text: String) -> DatePeriod? {
        var text = text.trimmingCharacters(in: .whitespaces)
        // All durations count back from now, so a minus sign before one changes nothing.
        if text.first == "-", text.dropFirst().first?.isNumber == true { text.removeFirst() }
        text = Self.normalizingDay(of: separatingUnit(in: text))
        let lowercased = text.lowercased()
        if let named = DatePeriod(naming: text, in: calendar) ?? calendarPeriod(lowercased)
            ?? recentPeriod(lowercased)
        {
            return named
        }
        guard let start = duration(text) ?? relative(lowercased) ?? DateText.date(from: text) else {
            return nil
        }
        let isDay = calendar.startOfDay(for: start) == start && relative(lowercased) != nil
        let next = isDay ? calendar.date(byAdding: .day, value: 1, to: start) : nil
        let end = next.map(calendar.startOfDay) ?? start
        return DatePeriod(start..<max(start, end), in: calendar)
    }

    /// Returns a text such as `7days` or `2weeks ago` with a space before the unit. Units of one letter, as
    /// in `7d`, have another form.
    private func separatingUnit(in text: String) -> String {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let rest = text[digits.endIndex...]
        let word = rest.prefix { $0.isLetter }
        let isUnit = word.count > 2 && unit(word.lowercased()) != nil
        return isUnit && !digits.isEmpty ? "\(digits) \(rest)" : text
    }

    /// Returns the day that words such as `today`, `monday`, `march`, `last-week` or `3 weeks ago` stand for,
    /// or the first day of their period, in the form 2026-01-31; `nil` for other texts, and for dates in
    /// digits and durations.
    ///
    /// - Parameter isNext: Whether to return the first day after the day or period instead.
    package func day(_ text: String, isNext: Bool = false) -> String? {
        guard text.contains(where: \.isLetter), !EntryCondition.Test.isDate(text.uppercased()),
            !Self.isDuration(text), let times = period(text)?.times
        else { return nil }
        guard isNext else { return dayText(times.lowerBound) }
        // The last day is the one of the last moment. A moment has no end of its own.
        let last = max(times.lowerBound, times.upperBound.addingTimeInterval(-1))
        return calendar.date(byAdding: .day, value: 1, to: calendar.startOfDay(for: last)).flatMap(dayText)
    }

    /// Whether a text is a duration such as `7d`, which is no value of metadata that could be compared.
    package static func isDuration(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9]+(m|h|d|w|mo|y|yr)/.ignoresCase()) != nil
    }

    private func dayText(_ date: Date) -> String? {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        return String(format: "%04d-%02d-%02d", year, month, day)
    }

    /// Reads a duration before now, such as `7d`.
    private func duration(_ text: String) -> Date? {
        guard let unit = text.last.flatMap({ Self.suffixes[$0] }), let count = Int(text.dropLast()),
            count >= 0
        else { return nil }
        return now.addingTimeInterval(-Double(count) * unit)
    }

    /// Reads `today`, `yesterday`, `last monday`, `3 weeks ago` and `monday`, in lowercase.
    func relative(_ text: String) -> Date? {
        let words = text.split(whereSeparator: Self.isSeparator).map(String.init)
        let today = calendar.startOfDay(for: now)
        switch words.count {
        case 1 where words[0] == "now": return now
        case 1 where words[0] == "today": return today
        case 1 where words[0] == "yesterday": return calendar.date(byAdding: .day, value: -1, to: today)
        case 1: return weekday(words[0], before: today)
        case 2 where words[0] == "last":
            // Last week, month and year are periods, not days.
            return unit(words[1]) == .day
                ? calendar.date(byAdding: .day, value: -1, to: today) : weekday(words[1], before: today)
        case 3 where words[2] == "ago":
            let count = Self.numbers[words[0]] ?? Int(words[0])
            // The limit keeps the result in the range of dates that can be stored.
            guard let count, (0...100_000).contains(count), let unit = unit(words[1]) else { return nil }
            let isTime = unit == .minute || unit == .hour
            return calendar.date(byAdding: unit, value: -count, to: isTime ? now : today)
        default: return nil
        }
    }

    /// Returns whether a character separates words: a shell needs no quotes for `last-week`.
    static func isSeparator(_ character: Character) -> Bool {
        character == " " || character == "-" || character == "_"
    }

    func unit(_ word: String) -> Calendar.Component? {
        Self.units[word] ?? (word.hasSuffix("s") ? Self.units[String(word.dropLast())] : nil)
    }

    /// Returns the beginning of the last day with a name, before the given day.
    private func weekday(_ name: String, before today: Date) -> Date? {
        guard name.count >= 3, let index = Self.weekdays.firstIndex(where: { $0.hasPrefix(name) }) else {
            return nil
        }
        let days = (calendar.component(.weekday, from: today) - 1 - index + 7) % 7
        return calendar.date(byAdding: .day, value: days == 0 ? -7 : -days, to: today)
    }
}
