import Foundation

/// The dates that a question names in English or in digits: `7 July 2023`, `May 4th, 2025`, `in August`,
/// `2023-07-07`.
///
/// The name of a month counts only next to a day or a year or after `in`, because `may` and `march` are also
/// verbs.
struct NamedDates: Sendable {
    /// A day or a month. Parts that the text does not name are `nil` and match any value.
    struct Period: Sendable, Hashable {
        var year: Int?
        var month: Int
        var day: Int?
    }

    private(set) var periods: Set<Period> = []
    private let calendar: Calendar

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]
    /// The maximum number of characters that are read. Questions are shorter.
    private static let maximumLength = 4000

    /// Finds the dates that a text names.
    ///
    /// - Parameter timeZone: The time zone in which days begin and end.
    init(in text: String, timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
        let words = text.prefix(Self.maximumLength).lowercased().split { !$0.isLetter && !$0.isNumber }
        func word(_ index: Int) -> Substring { words.indices.contains(index) ? words[index] : "" }
        for index in words.indices {
            if let month = Self.months.firstIndex(where: { $0 == word(index) || $0.prefix(3) == word(index) })
            {
                let following = Self.day(word(index + 1))
                let year = Self.year(word(index + (following == nil ? 1 : 2)))
                let day = Self.day(word(index - 1)) ?? following
                guard day != nil || year != nil || word(index - 1) == "in" else { continue }
                periods.insert(Period(year: year, month: month + 1, day: day))
            } else if let year = Self.year(word(index)), let month = Self.padded(word(index + 1), 1...12) {
                periods.insert(Period(year: year, month: month, day: Self.padded(word(index + 2), 1...31)))
            }
        }
    }

    private static func year(_ word: Substring) -> Int? {
        word.utf8.count == 4 ? Int(word).flatMap { (1900...2199).contains($0) ? $0 : nil } : nil
    }

    private static func day(_ word: Substring) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) else { return nil }
        return Int(digits).flatMap { (1...31).contains($0) ? $0 : nil }
    }

    private static func padded(_ word: Substring, _ range: ClosedRange<Int>) -> Int? {
        word.utf8.count == 2 ? Int(word).flatMap { range.contains($0) ? $0 : nil } : nil
    }

    /// Returns whether a time is within one of the dates that the text names.
    func contains(_ date: Date) -> Bool {
        guard !periods.isEmpty else { return false }
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return periods.contains { period in
            (period.year == nil || period.year == parts.year) && period.month == parts.month
                && (period.day == nil || period.day == parts.day)
        }
    }

    /// The ranges of the dates whose year the text names.
    var ranges: [Range<Date>] {
        periods.compactMap { period in
            guard let year = period.year else { return nil }
            let start = calendar.date(
                from: DateComponents(year: year, month: period.month, day: period.day ?? 1))
            return start.flatMap { start in
                calendar.date(byAdding: period.day == nil ? .month : .day, value: 1, to: start)
                    .map { start..<$0 }
            }
        }.sorted { $0.lowerBound < $1.lowerBound }
    }
}
