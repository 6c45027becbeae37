package import Foundation
import RoostText

/// The times that a question names in English: `on 7 July, 2023`, `in May 2023`, `in August`, `2023-07-07`,
/// `yesterday`, `last week`, `three days ago`, `on Monday`, `in the past two weeks`.
///
/// A word that can be either a month or a verb (`may`, `march`) is treated as a month only next to a number
/// or after a word such as `in`.
package struct TimesInText: Sendable, Hashable {
    /// A day, a month or a year. Parts that the text does not name are `nil` and match any value.
    struct Parts: Sendable, Hashable {
        var year: Int?
        var month: Int?
        var day: Int?
    }

    /// The named days, months and years.
    private(set) var parts: Set<Parts> = []
    /// The time spans that the text names relative to the present time.
    var spans: [Range<Date>] = []
    /// The words of the text, in lower case, that do not belong to a time.
    private(set) var otherWords: [String] = []
    let calendar: Calendar

    /// The maximum number of characters that are read. It limits the processing time; questions are not
    /// expected to be longer.
    private static let maximumLength = 4000
    /// The maximum number of words that are read.
    private static let maximumWords = 400

    /// Whether the text names no time.
    var isEmpty: Bool { parts.isEmpty && spans.isEmpty }

    /// Finds the times that a text names.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The present time.
    ///   - timeZone: The time zone in which days begin and end.
    package init(_ text: String, now: Date, timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        // Weeks begin on Monday (ISO 8601).
        calendar.firstWeekday = 2
        self.calendar = calendar
        let words = text.prefix(Self.maximumLength).lowercased()
            .split { !$0.isLetter && !$0.isNumber }.prefix(Self.maximumWords).map(String.init)
        // The indices of words that belong to a time that was already read.
        var used = IndexSet()
        for index in words.indices {
            if let month = Self.month(words, index) {
                let (found, range) = Self.parts(of: month, words, index)
                parts.insert(found)
                used.insert(integersIn: range)
            } else if let date = Self.digits(words, index, in: text) {
                parts.insert(date)
                used.insert(integersIn: index...(index + (date.day == nil ? 1 : 2)))
            }
            if let range = readSpan(words, index, now) { used.insert(integersIn: range) }
        }
        for index in words.indices where !used.contains(index) {
            guard let year = Self.year(words[index]) else { continue }
            parts.insert(Parts(year: year))
            used.insert(index)
        }
        otherWords = words.indices.filter { !used.contains($0) }.map { words[$0] }
    }

    /// Returns whether a date is within one of the times that the text names.
    func contains(_ date: Date) -> Bool {
        if spans.contains(where: { $0.contains(date) }) { return true }
        guard !parts.isEmpty else { return false }
        let components = calendar.dateComponents([.year, .month, .day], from: date)
        return parts.contains { parts in
            (parts.year == nil || parts.year == components.year)
                && (parts.month == nil || parts.month == components.month)
                && (parts.day == nil || parts.day == components.day)
        }
    }

    /// The date ranges of the relative spans and of those named times that include a year.
    var ranges: [Range<Date>] {
        spans
            + parts.compactMap { parts in
                guard let year = parts.year else { return nil }
                let start = calendar.date(
                    from: DateComponents(year: year, month: parts.month ?? 1, day: parts.day ?? 1))
                let unit: Calendar.Component = parts.day != nil ? .day : parts.month != nil ? .month : .year
                return start.flatMap { start in
                    calendar.date(byAdding: unit, value: 1, to: start).map { start..<$0 }
                }
            }
    }

    /// The only time that the text names; `nil` if it names none or several, a day that does not exist, a day
    /// or a month without a year, or only a year, which is often no time.
    package var onlyPeriod: Range<Date>? {
        guard haveRanges, ranges.count == 1 else { return nil }
        guard let part = parts.first else { return spans.first }
        guard part.month != nil,
            DateComponents(year: part.year, month: part.month, day: part.day ?? 1).isValidDate(in: calendar)
        else { return nil }
        return ranges.first
    }

    /// Whether ``ranges`` has all times that the text names, because all of them include a year.
    var haveRanges: Bool { parts.allSatisfy { $0.year != nil } }

    /// Words that ask for the messages of a time, whatever their subject: `what happened`, `what did we talk
    /// about`.
    private static let generalWords: Set = [
        "happen", "happens", "happened", "happening", "talk", "talked", "talking", "discuss", "discussed",
        "chat", "chatted", "speak", "spoke", "spoken", "mention", "mentioned", "told", "write", "wrote",
        "written", "message", "messages", "conversation", "conversations", "event", "events", "day", "days",
        "date", "time",
    ]

    /// Whether the text names times but no subject.
    var haveNoSubject: Bool {
        !isEmpty
            && otherWords.allSatisfy {
                $0.count == 1 || StopWords.english.contains($0) || Self.generalWords.contains($0)
            }
    }

    // MARK: Months, days and years

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]
    private static let shortMonths = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// Words after which `may` or `march` is treated as a month.
    private static let prepositions: Set = [
        "in", "of", "during", "since", "until", "till", "before", "after", "by", "last", "this", "early",
        "mid",
        "late",
    ]

    /// Returns the number of the month that a word names, from 1.
    private static func month(_ words: [String], _ index: Int) -> Int? {
        let word = words[index]
        if let month = months.firstIndex(of: word), !["may", "march"].contains(word) { return month + 1 }
        let named = months.firstIndex(of: word) ?? shortMonths.firstIndex(of: word == "sept" ? "sep" : word)
        guard let named else { return nil }
        let previous = index > 0 ? words[index - 1] : ""
        let next = index + 1 < words.count ? words[index + 1] : ""
        let isMonth =
            day(previous) != nil || day(next) != nil || year(next) != nil || prepositions.contains(previous)
        return isMonth ? named + 1 : nil
    }

    /// Returns the month with the day and the year next to it, and the indices of their words.
    private static func parts(
        of month: Int, _ words: [String], _ index: Int
    ) -> (Parts, ClosedRange<Int>) {
        func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }
        var parts = Parts(month: month)
        var (first, last) = (index, index)
        // Recognizes the forms `7 July 2023`, `7th of July 2023`, `July 7, 2023` and `July 2023`.
        let before = word(index - 1) == "of" ? index - 2 : index - 1
        if let day = day(word(before)) {
            parts.day = day
            first = before
        } else if let day = day(word(index + 1)) {
            parts.day = day
            last = index + 1
        }
        let next = word(last + 1) == "of" ? last + 2 : last + 1
        if let year = year(word(next)) {
            parts.year = year
            last = next
        }
        return (parts, first...last)
    }

    /// Returns the day of the month that a word such as `7` or `7th` names.
    private static func day(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)), digits.count <= 2,
            let day = Int(digits), (1...31).contains(day)
        else { return nil }
        return day
    }

    /// Returns the year that a word of four digits names.
    private static func year(_ word: String) -> Int? {
        guard word.utf8.count == 4, let year = Int(word), years.contains(year) else { return nil }
        return year
    }

    /// The range of four-digit numbers that are treated as years.
    private static let years = 1900...2199

    /// Reads a date such as `2023-07-07`, `2023/7/7` or `2023-07`, which consists of several words.
    private static func digits(_ words: [String], _ index: Int, in text: String) -> Parts? {
        guard index + 1 < words.count, let year = year(words[index]), let month = Int(words[index + 1]),
            (1...12).contains(month), words[index + 1].utf8.count <= 2
        else { return nil }
        let name = words[index] + "-" + words[index + 1]
        guard text.contains(name) || text.contains(name.replacing("-", with: "/")) else { return nil }
        let day = index + 2 < words.count && Int(words[index + 2]) != nil ? day(words[index + 2]) : nil
        return Parts(year: year, month: month, day: day)
    }
}
