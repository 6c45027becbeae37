package import Foundation

/// A date as people and programs write it: a year, a month or a day, which can have a time of day.
package struct WrittenDate: Sendable, Hashable {
    /// The year; `nil` only for a date in a sentence, such as `in May`.
    package var year: Int?
    package var month: Int?
    package var day: Int?
    private var time: Int?
    /// The offset of the time zone from UTC in minutes; `nil` if the text states none.
    private var offset: Int?

    package init(year: Int?, month: Int?, day: Int?) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    private static let maximumLength = 80

    // A literal in a function would be compiled for each date, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let digits = #/(\d{4})(\d\d)(\d\d)/#
    nonisolated(unsafe) private static let yearFirst = #/(\d{4})(?:([-\/.])(\d\d?)(?:\2(\d\d?))?)?/#
    nonisolated(unsafe) private static let dayFirst = #/(\d\d?)\.(\d\d?)\.(\d{4})/#
    nonisolated(unsafe) private static let dayAndMonth =
        #/(?:\p{L}+\.?, *)?(\d\d?)(?:st|nd|rd|th|\.)?[ -](\p{L}+)\.?,?[ -](\d{4})/#
    nonisolated(unsafe) private static let monthAndDay =
        #/(?:\p{L}+\.?, *)?(\p{L}+)\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{4})/#
    nonisolated(unsafe) private static let timeOfDay =
        #/(?:T|,? )(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?/#

    /// Reads a text that is a date in one of these formats of ISO 8601 and RFC 5322 (`2025`, `2025-03`,
    /// `2025-03-14`, `20250314`, `2025-03-14T09:30:00+01:00`, `Fri, 14 Mar 2025 09:30:00 +0100`), or
    /// `2025/03/14`, `14.03.2025`, `March 14, 2025`. A date such as `03/04/2025` is ambiguous and no date.
    package init?(_ text: String) {
        guard (4...Self.maximumLength).contains(text.utf8.count) else { return nil }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let rest: Substring
        if let match = text.wholeMatch(of: Self.digits) {
            self.init(match.output.1, Int(match.output.2), match.output.3)
            rest = ""
        } else if let match = text.prefixMatch(of: Self.yearFirst) {
            let (_, year, _, month, day) = match.output
            self.init(year, month.map { Int($0) ?? 0 }, day)
            rest = text[match.range.upperBound...]
        } else if let match = text.prefixMatch(of: Self.dayFirst) {
            self.init(match.output.3, Int(match.output.2), match.output.1)
            rest = text[match.range.upperBound...]
        } else if let match = text.prefixMatch(of: Self.dayAndMonth) {
            self.init(match.output.3, Self.month(match.output.2) ?? 0, match.output.1)
            rest = text[match.range.upperBound...]
        } else if let match = text.prefixMatch(of: Self.monthAndDay) {
            self.init(match.output.3, Self.month(match.output.1) ?? 0, match.output.2)
            rest = text[match.range.upperBound...]
        } else {
            return nil
        }
        guard firstDay != nil else { return nil }
        guard !rest.isEmpty else { return }
        guard day != nil, let match = rest.wholeMatch(of: Self.timeOfDay) else { return nil }
        let (_, hours, minutes, seconds, zone) = match.output
        guard let hour = Int(hours), let minute = Int(minutes), hour < 24, minute < 60 else { return nil }
        let second = seconds.flatMap { Int($0) } ?? 0
        guard second < 61 else { return nil }
        time = hour * 3600 + minute * 60 + second
        offset = zone.map { Int(DateText.offset(ofZone: Array($0.utf8)[...]) ?? 0) }
    }

    private init(_ year: Substring, _ month: Int?, _ day: Substring?) {
        self.init(year: Int(year), month: month, day: day.map { Int($0) ?? 0 })
    }

    /// The number of the first day since 1970-01-01; `nil` if the month has no such day.
    private var firstDay: Int64? { year.flatMap { DateText.days($0, month ?? 1, day ?? 1) } }

    /// The beginning of the date. A date without a time zone is in UTC.
    package var instant: Date? {
        guard let firstDay else { return nil }
        let minutes = firstDay * 1440 - Int64(offset ?? 0)
        let date = Date(milliseconds: minutes * 60_000 + Int64(time ?? 0) * 1000)
        return date.isWritable ? date : nil
    }

    /// Returns the period of the year, month or day in the time zone of a calendar. The period of a time of
    /// day is empty.
    package func period(in calendar: Calendar) -> DatePeriod? {
        func moment(_ date: Date) -> DatePeriod { DatePeriod(date..<date, in: calendar) }
        if offset != nil { return instant.map(moment) }
        let parts = DateComponents(year: year, month: month ?? 1, day: day ?? 1)
        guard firstDay != nil, let start = calendar.date(from: parts) else { return nil }
        if let time {
            return calendar.date(
                bySettingHour: time / 3600, minute: time / 60 % 60, second: time % 60, of: start
            ).map(moment)
        }
        let unit: Calendar.Component = month == nil ? .year : day == nil ? .month : .day
        guard let next = calendar.date(byAdding: unit, value: 1, to: start) else { return nil }
        // In some time zones, a day begins at one o'clock, and the next one at midnight.
        return DatePeriod(start..<max(start, calendar.startOfDay(for: next)), in: calendar)
    }
}

// MARK: - Dates in sentences

extension WrittenDate {
    /// The numbers of the months by their names in English, German, French, Spanish and Italian.
    private static let months: [String: Int] = {
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

    private static func month(_ name: Substring) -> Int? { months[name.lowercased()] }

    /// The maximum number of characters of a sentence that are read. Questions are shorter.
    private static let maximumSentence = 4000

    /// Returns the days and months that a sentence names: `7 July 2023`, `May 4th, 2025`, `in August`,
    /// `2023-07-07`.
    ///
    /// The name of a month counts only next to a day or a year or after `in`, because `may` and `march` are
    /// also verbs.
    package static func dates(in sentence: String) -> Set<WrittenDate> {
        let words = sentence.prefix(maximumSentence).lowercased().split { !$0.isLetter && !$0.isNumber }
        func number(_ index: Int, _ range: ClosedRange<Int>, digits: Int) -> Int? {
            guard words.indices.contains(index), words[index].utf8.count == digits else { return nil }
            return Int(words[index]).flatMap { range.contains($0) ? $0 : nil }
        }
        func year(_ index: Int) -> Int? { number(index, 1900...2199, digits: 4) }
        func day(_ index: Int) -> Int? {
            guard words.indices.contains(index) else { return nil }
            let digits = words[index].prefix { $0.isASCII && $0.isNumber }
            guard ["", "st", "nd", "rd", "th"].contains(words[index].dropFirst(digits.count)) else {
                return nil
            }
            return Int(digits).flatMap { (1...31).contains($0) ? $0 : nil }
        }
        var dates: Set<WrittenDate> = []
        for index in words.indices {
            if let month = month(words[index]) {
                let following = day(index + 1)
                let year = year(index + (following == nil ? 1 : 2))
                let day = day(index - 1) ?? following
                guard day != nil || year != nil || (index > 0 && words[index - 1] == "in") else { continue }
                dates.insert(WrittenDate(year: year, month: month, day: day))
            } else if let year = year(index), let month = number(index + 1, 1...12, digits: 2) {
                let day = number(index + 2, 1...31, digits: 2)
                dates.insert(WrittenDate(year: year, month: month, day: day))
            }
        }
        return dates
    }

    /// Returns whether a time is within the date in the time zone of a calendar. Parts that the date lacks
    /// match any value.
    package func contains(_ date: Date, in calendar: Calendar) -> Bool {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return (year == nil || year == parts.year) && (month == nil || month == parts.month)
            && (day == nil || day == parts.day)
    }
}

extension Date {
    /// Creates the time that a document or program states: the beginning of a ``WrittenDate``, or a number of seconds
    /// or milliseconds since 1970.
    package init?(written text: String) {
        if let date = DateText.date(from: text) ?? WrittenDate(text)?.instant {
            self = date
            return
        }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Double(text) else { return nil }
        switch text.utf8.count {
        case 10: self.init(timeIntervalSince1970: number)
        case 13: self.init(timeIntervalSince1970: number / 1000)
        default: return nil
        }
    }
}
