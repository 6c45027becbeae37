import Foundation

/// The forms of times that count back from now, or that stand for a part of today.
extension TimeArgument {
    /// The hours of the parts of a day, from the first to the one after the last.
    private static let partsOfDay = [
        "morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 24),
    ]

    /// Returns the period that words such as `last hour`, `past week`, `last 24 hours`, `this morning` or
    /// `tonight` stand for; `nil` for other texts. Durations are those of the words with `ago`.
    ///
    /// - Parameter text: A text in lowercase letters.
    func recentPeriod(_ text: String) -> DatePeriod? {
        let words = text.split(whereSeparator: Self.isSeparator).map(String.init)
        switch (words.first, words.count) {
        case ("tonight", 1): return partOfToday("night")
        case ("this", 2): return partOfToday(words[1])
        case ("last", 2), ("past", 2):
            // `last week` is a week of the calendar, and `past week` ends now.
            if words[1].first?.isNumber == true, words[1].last?.isLetter == true { return period(words[1]) }
            return unit(words[1]) == nil ? nil : period("1 \(words[1]) ago")
        case ("last", 3), ("past", 3): return period("\(words[1]) \(words[2]) ago")
        default: return nil
        }
    }

    private func partOfToday(_ name: String) -> DatePeriod? {
        let today = calendar.startOfDay(for: now)
        guard let hours = Self.partsOfDay[name],
            let tomorrow = calendar.date(byAdding: .day, value: 1, to: today),
            let start = calendar.date(bySettingHour: hours.0, minute: 0, second: 0, of: today)
        else { return nil }
        let end = calendar.date(bySettingHour: hours.1 % 24, minute: 0, second: 0, of: today)
        return DatePeriod(start..<max(start, hours.1 == 24 ? tomorrow : end ?? tomorrow), in: calendar)
    }
}
