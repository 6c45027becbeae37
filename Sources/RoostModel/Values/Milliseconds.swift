package import Foundation

extension Date {
    /// Creates a date from a number of milliseconds since 1970-01-01T00:00:00Z.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The number of milliseconds since 1970-01-01T00:00:00Z, rounded to the nearest integer. Stores keep
    /// dates in this form.
    package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? Int64.min : Int64.max)
    }

    /// The date rounded to the nearest millisecond.
    package var wholeMilliseconds: Date { Date(milliseconds: milliseconds) }

    /// Whether the year is from 1 to 9999, and can therefore be written with four digits in ISO 8601. Stores
    /// reject other dates.
    package var isWritable: Bool { DateText.writable.contains(milliseconds) }
}

/// Conversion between dates and ISO 8601 text. Text is written in UTC with milliseconds, and read with any
/// time zone and with or without a fraction of a second.
package enum DateText {
    /// The range of the years 1 to 9999, in milliseconds since 1970.
    package static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Returns a date as text, such as `2026-11-21T05:54:34.123Z`.
    package static func string(from date: Date) -> String {
        let (seconds, milliseconds) = date.milliseconds.quotientRoundedDown(by: 1000)
        let (days, second) = seconds.quotientRoundedDown(by: 86_400)
        // The range extends from the Gregorian reform to the year 9999. Other dates are written by the
        // formatter, which uses the Julian calendar for dates before the reform.
        guard (-141_427...2_932_896).contains(days) else {
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
            return text.dropLast() + "." + digits(milliseconds, 3) + "Z"
        }
        let (year, month, day) = civil(days)
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        let (hour, minute) = (second / 3600, second / 60 % 60)
        let time = "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second % 60, 2))"
        return "\(date)T\(time).\(digits(milliseconds, 3))Z"
    }

    /// Returns the date that a text denotes, or `nil` if the text is not an ISO 8601 date with time and
    /// time zone in the years 1 to 9999.
    package static func date(from text: String) -> Date? {
        guard let date = anyDate(from: text), date.isWritable else { return nil }
        return date
    }

    private static func anyDate(from text: String) -> Date? {
        if let own = ownForm(Array(text.utf8)) { return own.map { Date(milliseconds: $0) } }
        guard let point = text.firstIndex(of: ".") else { return try? Date.ISO8601FormatStyle().parse(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.count <= 9, let fraction = Double("0." + digits),
            let whole = try? Date.ISO8601FormatStyle().parse(
                String(text[..<point] + text[digits.endIndex...])), whole.isWritable
        else { return nil }
        return Date(milliseconds: whole.milliseconds + Int64((fraction * 1000).rounded()))
    }

    /// Parses the form that `string(from:)` writes, such as `2026-11-21T05:54:34.123Z`, without a formatter.
    ///
    /// - Returns: The milliseconds since 1970; `.some(nil)` if the text has this form but its day or time is
    ///   invalid; `nil` if it has another form.
    private static func ownForm(_ text: [UInt8]) -> Int64?? {
        guard text.count == 24, text[4] == 45, text[7] == 45, text[10] == 84, text[13] == 58, text[16] == 58,
            text[19] == 46, text[23] == 90
        else { return nil }
        func number(_ range: Range<Int>) -> Int64 {
            var value: Int64 = 0
            for byte in text[range] {
                guard (48...57).contains(byte) else { return -1 }
                value = value * 10 + Int64(byte - 48)
            }
            return value
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        let milliseconds = number(20..<23)
        guard year >= 1583 else { return nil }
        guard (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second), milliseconds >= 0
        else { return .some(nil) }
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return .some(nil) }
        return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milliseconds
    }

    // Conversion between dates of the proleptic Gregorian calendar and days since 1970-01-01. The algorithm
    // divides time into eras of 400 years, and starts years in March, so that a leap day is the last day of
    // its year. Source: https://howardhinnant.github.io/date_algorithms.html

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.quotientRoundedDown(by: 400).quotient
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientRoundedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a date from ISO 8601 text, or from a number of seconds since 2001, which is the default form
    /// of `JSONEncoder`.
    func decodeDateIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        if let seconds = try? decode(Double.self, forKey: key) {
            let date = Date(timeIntervalSinceReferenceDate: seconds).wholeMilliseconds
            guard date.isWritable else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: self, debugDescription: "the date is outside the years 1 to 9999")
            }
            return date
        }
        let text = try decode(String.self, forKey: key)
        guard let date = DateText.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "not an ISO 8601 date: \(text.prefix(40))")
        }
        return date
    }
}
