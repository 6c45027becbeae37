package import Foundation

extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The number of milliseconds since 1970-01-01T00:00:00Z, rounded to the nearest integer. Stores keep
    /// dates in this form.
    package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? Int64.min : Int64.max)
    }

    package var wholeMilliseconds: Date { Date(milliseconds: milliseconds) }

    /// Whether the year is from 1 to 9999, and can therefore be written with four digits in ISO 8601. Stores
    /// reject other dates.
    package var isWritable: Bool { DateText.writable.contains(milliseconds) }
}

/// Conversion between dates and ISO 8601 text. Text is written in UTC with milliseconds, and read with any
/// time zone and with or without a fraction of a second.
package enum DateText {
    package static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Returns the text of a date; that of the nearest one that can be written with four digits of the year.
    package static func string(from date: Date) -> String {
        let time = min(max(date.milliseconds, writable.lowerBound), writable.upperBound)
        let (seconds, remainder) = time.quotientAndRemainder(dividingBy: 1000)
        // Times before 1970 are rounded down, too.
        var (second, parts) = (time_t(remainder < 0 ? seconds - 1 : seconds), tm())
        gmtime_r(&second, &parts)
        var text = Array("0000-00-00T00:00:00.000Z".utf8)
        let numbers = [
            (parts.tm_year + 1900, 4), (parts.tm_mon + 1, 7), (parts.tm_mday, 10), (parts.tm_hour, 13),
            (parts.tm_min, 16), (parts.tm_sec, 19), (Int32((remainder + 1000) % 1000), 23),
        ]
        for var (rest, end) in numbers {
            while rest > 0 {
                end -= 1
                text[end] += UInt8(rest % 10)
                rest /= 10
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the day of a date in UTC, such as `2026-11-21`.
    package static func day(of date: Date) -> String { String(string(from: date).prefix(10)) }

    /// Returns the date that a text denotes, or `nil` if the text is not an ISO 8601 date with time and
    /// time zone in the years 1 to 9999.
    package static func date(from text: String) -> Date? {
        guard let time = internetTime(Array(text.utf8)), writable.contains(time) else { return nil }
        return Date(milliseconds: time)
    }

    private static let maximumFraction = 9

    /// Parses the form of RFC 3339, such as `2026-11-21T05:54:34.123Z`, without a formatter, which accepts
    /// days and times that do not exist. All dates are those of the Gregorian calendar.
    private static func internetTime(_ text: [UInt8]) -> Int64? {
        guard text.count > 19, text[4] == 45, text[7] == 45, text[10] | 32 == 116, text[13] == 58,
            text[16] == 58, let year = number(text[0..<4]), let month = number(text[5..<7]),
            let day = number(text[8..<10]), let hour = number(text[11..<13]),
            let minute = number(text[14..<16]), let second = number(text[17..<19])
        else { return nil }
        // The second 60 is a leap second.
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            let days = days(Int(year), Int(month), Int(day))
        else { return nil }
        var rest = text[19...]
        var milliseconds: Int64 = 0
        if rest.first == 46 {
            let digits = rest.dropFirst().prefix { (48...57).contains($0) }
            guard digits.count <= maximumFraction, let value = number(digits) else { return nil }
            let scale = (0..<digits.count).reduce(into: Int64(1)) { scale, _ in scale *= 10 }
            milliseconds = (value * 1000 + scale / 2) / scale
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offset(ofZone: rest) else { return nil }
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + milliseconds
    }

    /// Returns the offset of a time zone from UTC in minutes.
    ///
    /// - Parameter text: `Z`, or an offset in one of the forms `+01:00`, `+0100` and `+01`.
    static func offset(ofZone text: ArraySlice<UInt8>) -> Int64? {
        if text.count == 1 { return text.first.map { $0 | 32 } == 122 ? 0 : nil }
        guard let sign = text.first, sign == 43 || sign == 45 else { return nil }
        let (hours, rest) = (text.dropFirst().prefix(2), text.dropFirst(3))
        let minutes = rest.first == 58 ? rest.dropFirst() : rest
        guard hours.count == 2, let hour = number(hours), hour < 24,
            minutes.count == 2 || text.count == 3, let minute = minutes.isEmpty ? 0 : number(minutes),
            minute < 60
        else { return nil }
        return (hour * 60 + minute) * (sign == 45 ? -1 : 1)
    }

    /// Returns the number that consists of decimal digits; `nil` for any other text.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }

    /// Returns the number of a day since 1970-01-01; `nil` if the month has no such day.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = timegm(&parts)
        // The day after the last one of a month becomes the first one of the next.
        return Int(parts.tm_mday) == day ? Int64(seconds) / 86_400 : nil
    }
}

extension KeyedDecodingContainer {
    /// Decodes a date from ISO 8601 text, or from a number of seconds since 2001, which is the default form
    /// of `JSONEncoder`.
    func decodeDateIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        if let seconds = try? decode(Double.self, forKey: key) {
            let date = Date(timeIntervalSinceReferenceDate: seconds).wholeMilliseconds
            guard date.isWritable else { throw damage(key, "the date is outside the years 1 to 9999") }
            return date
        }
        let text = try decode(String.self, forKey: key)
        guard let date = DateText.date(from: text) else {
            throw damage(key, "not an ISO 8601 date: \(text.prefix(40))")
        }
        return date
    }

    func damage(_ key: Key, _ description: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: description)
    }
}
