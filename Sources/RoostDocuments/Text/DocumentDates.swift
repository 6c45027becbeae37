import Foundation

/// The dates in the properties of documents.
enum DocumentDates {
    // A literal in the function would be compiled for each date, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let pattern =
        #/(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?/#

    /// Returns the date of a text in the format of ISO 8601: a year, month or day, or a time with or
    /// without a time zone (default: UTC); `nil` if the text is not a valid date.
    static func date(fromISO text: String) -> Date? {
        // With the spaces around the date in the pattern, very many of them would need quadratic time.
        var content = text.drop(while: \.isWhitespace)
        while let last = content.last, last.isWhitespace { content.removeLast() }
        guard let match = content.wholeMatch(of: pattern) else { return nil }
        let value = match.output
        func number(_ part: Substring?, _ standard: Int) -> Int { part.flatMap { Int($0) } ?? standard }
        var components = DateComponents()
        components.year = Int(value.1)
        components.month = number(value.2, 1)
        components.day = number(value.3, 1)
        components.hour = number(value.4, 0)
        components.minute = number(value.5, 0)
        components.second = number(value.6, 0)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard number(value.4, 0) < 24, number(value.5, 0) < 60, number(value.6, 0) < 61,
            let date = calendar.date(from: components),
            calendar.component(.month, from: date) == components.month,
            calendar.component(.year, from: date) == components.year || components.month == 12
        else { return nil }
        return date.addingTimeInterval(-offset(of: value.7))
    }

    /// Returns the offset of a time zone from UTC in seconds.
    private static func offset(of zone: Substring?) -> TimeInterval {
        guard let zone, zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let hours = Int(digits.prefix(2)) ?? 0
        let minutes = Int(digits.dropFirst(2)) ?? 0
        return Double(hours * 3600 + minutes * 60) * (zone.first == "-" ? -1 : 1)
    }
}
