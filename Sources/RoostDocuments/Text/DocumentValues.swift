package import Foundation
import RoostModel

/// Reads the dates that people and programs write in documents.
package enum DocumentDate {
    /// The maximum number of bytes of a date.
    private static let maximumLength = 80

    // A literal in a function would be compiled for each date, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let yearFirst = #/(\d{4})(?:([-\/.])(\d\d?)(?:\2(\d\d?))?)?/#
    nonisolated(unsafe) private static let dayFirst = #/(\d\d?)\.(\d\d?)\.(\d{4})/#
    nonisolated(unsafe) private static let dayAndMonth =
        #/(?:\p{L}+\.?, *)?(\d\d?)(?:st|nd|rd|th|\.)?[ -](\p{L}+)\.?,?[ -](\d{4})/#
    nonisolated(unsafe) private static let monthAndDay =
        #/(?:\p{L}+\.?, *)?(\p{L}+)\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{4})/#
    nonisolated(unsafe) private static let time =
        #/(?:T|,? )(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?/#

    /// Returns the time that a text denotes; `nil` if it is not a date.
    ///
    /// The formats are those of ISO 8601 and RFC 5322 (`2025-03-14`, `2025-03`, `2025-03-14T09:30:00+01:00`,
    /// `Fri, 14 Mar 2025 09:30:00 +0100`), `2025/03/14`, `14.03.2025`, `March 14, 2025`, `20250314`, and
    /// seconds or milliseconds since 1970. A date such as `03/04/2025` is ambiguous and no date. A time
    /// without a zone is in UTC.
    package static func date(_ text: String) -> Date? {
        guard (4...maximumLength).contains(text.utf8.count) else { return nil }
        let text = text.trimmed
        if let date = DateText.date(from: text) { return date }
        if text.utf8.allSatisfy(\.isASCIIDigit), text.utf8.count > 4 { return digits(text) }
        guard let (day, rest) = day(text[...]) else { return nil }
        guard !rest.isEmpty else { return day }
        guard let match = rest.wholeMatch(of: time) else { return nil }
        let (_, hours, minutes, seconds, zone) = match.output
        guard let hour = Int(hours), let minute = Int(minutes), hour < 24, minute < 60 else { return nil }
        let second = seconds.flatMap { Int($0) } ?? 0
        guard second < 61 else { return nil }
        return day.addingTimeInterval(Double(hour * 3600 + minute * 60 + second - offset(of: zone)))
    }

    /// Returns the date in a sequence of digits: a date, or seconds or milliseconds since 1970.
    private static func digits(_ text: String) -> Date? {
        guard let number = Int(text) else { return nil }
        return switch text.utf8.count {
        case 8: start(number / 10_000, number / 100 % 100, number % 100)
        case 10: Date(timeIntervalSince1970: Double(number))
        case 13: Date(timeIntervalSince1970: Double(number) / 1000)
        default: nil
        }
    }

    /// Returns the beginning of the day with which a text begins, and the rest of the text.
    private static func day(_ text: Substring) -> (Date, Substring)? {
        func result(_ year: Substring, _ month: Int?, _ day: Substring?, _ end: Substring.Index) -> (
            Date, Substring
        )? {
            guard let year = Int(year), let month, let date = start(year, month, day.flatMap { Int($0) } ?? 1)
            else { return nil }
            return (date, text[end...])
        }
        if let match = text.prefixMatch(of: yearFirst) {
            let (_, year, _, month, day) = match.output
            return result(year, month.map { Int($0) } ?? 1, day, match.range.upperBound)
        }
        if let match = text.prefixMatch(of: dayFirst) {
            return result(match.output.3, Int(match.output.2), match.output.1, match.range.upperBound)
        }
        if let match = text.prefixMatch(of: dayAndMonth) {
            let month = MonthName.number(match.output.2.lowercased())
            return result(match.output.3, month, match.output.1, match.range.upperBound)
        }
        if let match = text.prefixMatch(of: monthAndDay) {
            let month = MonthName.number(match.output.1.lowercased())
            return result(match.output.3, month, match.output.2, match.range.upperBound)
        }
        return nil
    }

    /// Returns the beginning of a day in UTC; `nil` if the month has no such day.
    private static func start(_ year: Int, _ month: Int, _ day: Int) -> Date? {
        func digits(_ number: Int, _ length: Int) -> String {
            String(repeating: "0", count: max(0, length - "\(number)".count)) + "\(number)"
        }
        return DateText.date(
            from: "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T00:00:00Z")
    }

    /// Returns the offset of a time zone from UTC in seconds.
    private static func offset(of zone: Substring?) -> Int {
        guard let zone, let sign = zone.first, sign == "+" || sign == "-" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.dropFirst(2)) ?? 0)
        return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }
}

/// The names of the months in English, German, French, Spanish and Italian.
enum MonthName {
    private static let numbers: [String: Int] = {
        let names = [
            "january jan januar jän jänner janvier enero gennaio",
            "february feb februar fév février febrero febbraio",
            "march mar märz mär mrz mars marzo", "april apr avril avr abril aprile",
            "may mai mayo maggio", "june jun juni juin junio giugno",
            "july jul juli juillet juil julio luglio", "august aug août agosto",
            "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre", "november nov novembre noviembre",
            "december dec dezember dez décembre déc diciembre dicembre",
        ]
        var numbers: [String: Int] = [:]
        for (index, line) in names.enumerated() {
            for name in line.split(separator: " ") { numbers[String(name)] = index + 1 }
        }
        return numbers
    }()

    /// Returns the number of a month, from 1; `nil` if the name is unknown.
    ///
    /// - Parameter name: The name or its abbreviation in lowercase letters.
    static func number(_ name: String) -> Int? { numbers[name] }
}

/// Keywords in one string, as the properties of documents contain them.
enum KeywordList {
    /// The maximum number of characters of a keyword. Longer texts are descriptions.
    private static let maximumLength = 60

    /// The maximum number of keywords. Documents state a few; a list of very many is data, and each keyword
    /// becomes a tag that is stored and shown.
    static let maximumCount = 1000

    /// Returns the keywords of a list that is separated by commas, semicolons or line breaks, without
    /// duplicates, in order.
    ///
    /// - Complexity: O(length of list).
    static func keywords(in list: String) -> [String] {
        var keywords: [String] = []
        var known: Set<String> = []
        // Without an array of the parts, which could need many times the memory of the list.
        var rest = list[...]
        while keywords.count < maximumCount, !rest.isEmpty {
            let part = rest.prefix { !",;\n\r，、".contains($0) }
            rest = rest[part.endIndex...].dropFirst()
            let keyword = part.trimmingCharacters(in: CharacterSet(charactersIn: " \t#\"'"))
            if !keyword.isEmpty && keyword.count <= maximumLength
                && known.insert(keyword.lowercased()).inserted
            {
                keywords.append(keyword)
            }
        }
        return keywords
    }
}
