import Foundation

/// The forms of days with the name of a month.
extension TimeArgument {
    /// Returns the day that words such as `3 march 2025`, `march 3, 2025` or `march 3rd` stand for; without a
    /// year, the last one that has begun. Returns `nil` for other words.
    ///
    /// - Parameter words: One to three words in lowercase letters.
    func namedDay(_ words: [String]) -> DatePeriod? {
        guard (2...3).contains(words.count) else { return nil }
        let words = words.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
        let parts = words.prefix(2)
        guard let month = parts.lazy.compactMap(Self.month).first,
            let day = parts.lazy.compactMap(Self.dayOfMonth).first
        else { return nil }
        func period(_ year: Int) -> DatePeriod? {
            DatePeriod(naming: String(format: "%04d-%02d-%02d", year, month, day), in: calendar)
        }
        guard words.count == 2 else {
            return words[2].utf8.count == 4 ? Int(words[2]).flatMap(period) : nil
        }
        let year = calendar.component(.year, from: now)
        // 29 February exists in one of eight successive years.
        return (0...8).lazy.compactMap { period(year - $0) }.first { $0.times.lowerBound <= now }
    }

    /// Returns the number of a day such as `3` or `3rd`.
    private static func dayOfMonth(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard (1...2).contains(digits.count), ["", "st", "nd", "rd", "th"].contains(word[digits.endIndex...])
        else { return nil }
        return Int(digits)
    }
}
