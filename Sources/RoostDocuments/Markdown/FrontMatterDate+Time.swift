import Foundation

extension FrontMatterDate.Scanner {
    /// Reads the time of a day and its zone; `nil` if other text follows the day.
    mutating func time(on day: FrontMatterDate.Day) -> Date? {
        guard let start = day.start else { return nil }
        skip { $0 == 32 || $0 == 9 || $0 == UInt8(ascii: ",") }
        if current | 0x20 == UInt8(ascii: "t"), index + 1 < bytes.count, bytes[index + 1].isASCIIDigit {
            index += 1
        } else if current.isASCIILetter {
            // As in `14 March 2025 at 09:30` and `14. März 2025 um 09:30`.
            guard ["at", "um"].contains(word()) else { return nil }
            skip { $0 == 32 }
        }
        guard index < bytes.count else { return start }
        guard let clockHour = number(maximumDigits: 2)?.value, current == UInt8(ascii: ":") else {
            return nil
        }
        index += 1
        guard let minute = number(maximumDigits: 2), minute.digits == 2 else { return nil }
        var seconds = 0.0
        if current == UInt8(ascii: ":") {
            index += 1
            guard let value = number(maximumDigits: 2) else { return nil }
            seconds = Double(value.value)
            if current == UInt8(ascii: ".") || current == UInt8(ascii: ",") { seconds += fraction() }
        }
        guard let hour = hourOfDay(clockHour), minute.value < 60, seconds < 61, let offset = zone() else {
            return nil
        }
        return start.addingTimeInterval(Double(hour * 3600 + minute.value * 60 - offset) + seconds)
    }

    /// Reads the digits after a decimal separator.
    private mutating func fraction() -> Double {
        index += 1
        let start = index
        skip(\.isASCIIDigit)
        return Double("0." + bytes.text(start..<index)) ?? 0
    }

    /// Reads `am` or `pm`, if it follows, and returns the hour from 0 to 23; `nil` if the hour is out of
    /// range.
    private mutating func hourOfDay(_ hour: Int) -> Int? {
        let before = index
        skip { $0 == 32 }
        let half = word()
        guard half == "am" || half == "pm" else {
            index = before
            return hour < 24 ? hour : nil
        }
        guard (1...12).contains(hour) else { return nil }
        return hour % 12 + (half == "pm" ? 12 : 0)
    }

    /// Reads a time zone and returns its offset from UTC in seconds: 0 if the text has no time zone, `nil` if
    /// the time zone is unknown.
    private mutating func zone() -> Int? {
        skip { $0 == 32 || $0 == 9 }
        guard index < bytes.count else { return 0 }
        if current.isASCIILetter {
            let name = word()
            return ["z", "utc", "gmt"].contains(name) && index == bytes.count ? 0 : nil
        }
        let sign = current
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        index += 1
        guard let first = number(maximumDigits: 4) else { return nil }
        var (hours, minutes) = (first.value, 0)
        if first.digits > 2 { (hours, minutes) = (first.value / 100, first.value % 100) }
        if current == UInt8(ascii: ":"), first.digits <= 2 {
            index += 1
            guard let value = number(maximumDigits: 2) else { return nil }
            minutes = value.value
        }
        guard hours < 24, minutes < 60, index == bytes.count else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
