import Foundation

/// Finds dates in the text of pages: `3 March 2024`, `March 3rd, 2024`, `3. März 2024`, `le 3 mars 2024`,
/// `3 de marzo de 2024`, `2024-03-03`, `03.03.2024` and `25/12/2024`.
///
/// Dates such as `03/04/2024` are ambiguous, and dates without a year do not name a day.
enum VisibleDate {
    /// The words that can be between the parts of a date.
    private static let links: Set<String> = ["de", "del", "of"]

    /// Returns the first date of a text and the range of its words; `nil` if the text contains no date.
    ///
    /// - Parameter words: The words of the text, without signs at their ends.
    static func first(in words: [String]) -> (date: Date, range: Range<Int>)? {
        for index in words.indices {
            if let date = numeric(words[index]) { return (date, index..<(index + 1)) }
            if let found = withMonthName(words, at: index) { return found }
        }
        return nil
    }

    private static func withMonthName(
        _ words: [String], at start: Int
    ) -> (date: Date, range: Range<Int>)? {
        // The numbers and the name of the month, with at most two words such as `de` between them.
        var parts: [Int] = []
        var month: (number: Int, position: Int)?
        var index = start
        while index < words.count, parts.count + (month == nil ? 0 : 1) < 3, index < start + 5 {
            let word = words[index].lowercased()
            if let number = number(word) {
                parts.append(number)
            } else if month == nil, let number = MonthName.number(word) {
                month = (number, parts.count)
            } else if index == start || !links.contains(word) {
                return nil
            }
            index += 1
        }
        guard let month, parts.count == 2, month.position < 2,
            let date = date(year: parts[1], month: month.number, day: parts[0])
        else { return nil }
        return (date, start..<index)
    }

    /// Returns the date of `2024-03-03`, `03.03.2024` or `25/12/2024`. In the last form and with hyphens, a
    /// number above 12 must show which one is the day.
    private static func numeric(_ word: String) -> Date? {
        guard let separator = word.first(where: { !$0.isNumber }), "./-".contains(separator) else {
            return nil
        }
        let parts = word.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let first = Int(parts[0]), let second = Int(parts[1]), let third = Int(parts[2])
        else { return nil }
        switch (parts[0].utf8.count, parts[1].utf8.count, parts[2].utf8.count) {
        case (4, 1...2, 1...2): return date(year: first, month: second, day: third)
        case (1...2, 1...2, 4):
            if separator == "." || first > 12 { return date(year: third, month: second, day: first) }
            if second > 12 || first == second { return date(year: third, month: first, day: second) }
            return nil
        default: return nil
        }
    }

    /// Returns a day from 1970 to 2200; `nil` if the day does not exist.
    static func date(year: Int, month: Int, day: Int) -> Date? {
        guard (1970...2200).contains(year), (1...12).contains(month), (1...31).contains(day) else {
            return nil
        }
        return DocumentDate.date("\(year)-\(twoDigits(month))-\(twoDigits(day))")
    }

    /// Returns the number of a day or year, such as that of `3`, `3rd` or `1er`.
    private static func number(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard (1...4).contains(digits.count),
            ["", "st", "nd", "rd", "th", "er"].contains(word.dropFirst(digits.count))
        else { return nil }
        return Int(digits)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
