import Foundation

/// The forms of times that stand for parts of a calendar, or that count months and years.
extension TimeArgument {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]
    /// The maximum number of months or years before now, so that the result can be stored.
    private static let maximumCount = 100_000

    /// Returns the period that a text stands for: `tomorrow`, `this week`, `last month`, `Jan 2026`, `march`
    /// (the last one), `2026-01-31 09:00`, `1y`, `3mo` or `2 weeks`, which count back from now; `nil` for
    /// other texts.
    ///
    /// - Parameter text: A text in lowercase letters.
    func calendarPeriod(_ text: String) -> DatePeriod? {
        if let named = namedPeriod(text) { return named }
        let words = text.split(separator: " ").map(String.init)
        switch words.count {
        case 1 where text == "tomorrow":
            return calendar.date(byAdding: .day, value: 1, to: now).flatMap { days(from: $0, count: 1) }
        case 1:
            return monthsAgo(text) ?? localTime(text.split(separator: "t").map(String.init))
                ?? Self.month(text).flatMap(lastMonth)
        case 2:
            if let month = Self.month(words[0]), words[1].utf8.count == 4 { return named(words[1], month) }
            if let day = namedDay(words) { return day }
            // `3d ago` is `3d`.
            if words[1] == "ago" { return words[0].first?.isNumber == true ? period(words[0]) : nil }
            return localTime(words) ?? (Int(words[0]) == nil ? nil : period(text + " ago"))
        default: return namedDay(words)
        }
    }

    /// Returns the number of the month with a name, or with the first three or more letters of it.
    static func month(_ name: String) -> Int? {
        guard name.count >= 3 else { return nil }
        return months.firstIndex { $0.hasPrefix(name) }.map { $0 + 1 }
    }

    private func named(_ year: String, _ month: Int) -> DatePeriod? {
        DatePeriod(naming: year + String(format: "-%02d", month), in: calendar)
    }

    /// Returns the last month with a number that has begun.
    private func lastMonth(_ month: Int) -> DatePeriod? {
        let today = calendar.dateComponents([.year, .month], from: now)
        guard let year = today.year, let current = today.month else { return nil }
        return named(String(format: "%04d", month > current ? year - 1 : year), month)
    }

    /// Returns the period that `this` or `last` and the name of a week, month or year stand for; `nil` for
    /// other texts.
    ///
    /// - Parameter text: A text in lowercase letters.
    func namedPeriod(_ text: String) -> DatePeriod? {
        let words = text.split(whereSeparator: Self.isSeparator).map(String.init)
        guard words.count == 2, let unit = unit(words[1]) else { return nil }
        switch words[0] {
        case "this": return period(of: unit, offset: 0)
        case "last": return period(of: unit, offset: -1)
        default: return nil
        }
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
        case .month: return named(String(format: "%04d", year), month)
        case .year: return DatePeriod(naming: String(format: "%04d", year), in: calendar)
        default: return nil
        }
    }

    private func days(from date: Date, count: Int) -> DatePeriod? {
        let start = calendar.startOfDay(for: date)
        guard let next = calendar.date(byAdding: .day, value: count, to: start) else { return nil }
        return DatePeriod(start..<max(start, calendar.startOfDay(for: next)), in: calendar)
    }

    /// Reads a number of months or years before now: `3mo`, `1y`.
    private func monthsAgo(_ text: String) -> DatePeriod? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: Calendar.Component] = ["mo": .month, "y": .year, "yr": .year]
        guard let unit = units[text[digits.endIndex...]], let count = Int(digits), count <= Self.maximumCount,
            let date = calendar.date(byAdding: unit, value: -count, to: now)
        else { return nil }
        return DatePeriod(date..<date, in: calendar)
    }

    /// Reads a day and a time in the calendar's time zone: `2026-01-31` or `yesterday`, and `09:00` or
    /// `09:00:30`.
    private func localTime(_ parts: [String]) -> DatePeriod? {
        guard parts.count == 2, [5, 8].contains(parts[1].utf8.count) else { return nil }
        let named = parts[0].utf8.count == 10 ? DatePeriod(naming: parts[0], in: calendar) : nil
        guard let day = named?.times.lowerBound ?? relative(parts[0]) else { return nil }
        let texts = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = texts.compactMap { $0.utf8.count == 2 && $0.allSatisfy(\.isASCII) ? Int($0) : nil }
        guard numbers.count == texts.count, (2...3).contains(numbers.count), (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) }),
            let time = calendar.date(
                bySettingHour: numbers[0], minute: numbers[1], second: numbers.count > 2 ? numbers[2] : 0,
                of: day)
        else { return nil }
        return DatePeriod(time..<time, in: calendar)
    }
}
