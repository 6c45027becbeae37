package import Foundation

/// Reads the dates that people write in front matter and in rows.
package enum FrontMatterDate {
    /// The maximum number of bytes of a date.
    private static let maximumLength = 80

    /// Returns the time that a text denotes; `nil` if it is not a date, or if the order of day and month is
    /// ambiguous.
    ///
    /// The formats are those of YAML timestamps and ISO 8601 (`2025-03-14`, `2025-03-14 09:30`,
    /// `2025-03-14T09:30:00+01:00`, `2025-03`), `2025/03/14`, `14.03.2025`, `20250314`, `202503140930`, names
    /// of months (`14 March 2025`, `March 14th, 2025`, `Fri, 14 Mar 2025 09:30:00 +0100`), and seconds or
    /// milliseconds since 1970. A time without a zone is in UTC.
    package static func date(_ text: String) -> Date? {
        var text = text.trimmed
        guard (6...maximumLength).contains(text.utf8.count) else { return nil }
        if text.hasPrefix("[["), text.hasSuffix("]]") { text = String(text.dropFirst(2).dropLast(2)).trimmed }
        let bytes = Array(text.utf8)
        if bytes.allSatisfy(\.isASCIIDigit) { return digits(bytes) }
        var scanner = Scanner(bytes: bytes)
        guard let day = scanner.day() else { return nil }
        return scanner.time(on: day)
    }

    /// Returns the date in a sequence of digits: a date, a date and time, or seconds or milliseconds since
    /// 1970.
    private static func digits(_ bytes: [UInt8]) -> Date? {
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - 48) } }
        switch bytes.count {
        case 8, 12, 14:
            let day = Day(year: number(0..<4), month: number(4..<6), day: number(6..<8))
            guard let start = day.start else { return nil }
            let hour = bytes.count > 8 ? number(8..<10) : 0
            let minute = bytes.count > 8 ? number(10..<12) : 0
            let second = bytes.count > 12 ? number(12..<14) : 0
            guard hour < 24, minute < 60, second < 61 else { return nil }
            return start.addingTimeInterval(Double(hour * 3600 + minute * 60 + second))
        case 10: return Date(timeIntervalSince1970: Double(number(0..<10)))
        case 13: return Date(timeIntervalSince1970: Double(number(0..<13)) / 1000)
        default: return nil
        }
    }

    /// A day of the Gregorian calendar.
    struct Day {
        var year: Int
        var month: Int
        var day: Int

        /// The beginning of the day in UTC; `nil` if the month has no such day.
        var start: Date? {
            guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard day <= lengths[month - 1] else { return nil }
            // Days since 1970: years begin in March, so that the leap day is the last day of a year.
            let shifted = month > 2 ? year : year - 1
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
            return Date(timeIntervalSince1970: Double(days) * 86_400)
        }
    }

    /// Reads the parts of a date in order.
    struct Scanner {
        let bytes: [UInt8]
        var index = 0

        var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

        mutating func skip(_ condition: (UInt8) -> Bool) {
            while index < bytes.count, condition(bytes[index]) { index += 1 }
        }

        mutating func number(maximumDigits: Int) -> (value: Int, digits: Int)? {
            let start = index
            skip(\.isASCIIDigit)
            guard index > start, index - start <= maximumDigits else { return nil }
            return (bytes[start..<index].reduce(0) { $0 * 10 + Int($1 - 48) }, index - start)
        }

        mutating func word() -> String {
            let start = index
            skip { $0.isASCIILetter || $0 >= 0x80 }
            return bytes.text(start..<index).lowercased()
        }

        /// Reads a day, or a month without a day.
        mutating func day() -> Day? {
            if current.isASCIIDigit {
                guard let first = number(maximumDigits: 4) else { return nil }
                return first.digits == 4 ? yearFirst(first.value) : dayFirst(first)
            }
            let first = word()
            guard !first.isEmpty else { return nil }
            if let month = MonthName.number(first) { return monthFirst(month) }
            guard WeekdayName.all.contains(first) else { return nil }
            skip { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") || $0 == 32 }
            return day()
        }

        /// Reads `-03-14`, `/03/14`, `.03.14` or `-03`.
        private mutating func yearFirst(_ year: Int) -> Day? {
            let separator = current
            guard [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(separator) else {
                return nil
            }
            index += 1
            guard let month = number(maximumDigits: 2)?.value else { return nil }
            guard current == separator else { return Day(year: year, month: month, day: 1) }
            index += 1
            guard let day = number(maximumDigits: 2)?.value else { return nil }
            return Day(year: year, month: month, day: day)
        }

        /// Reads the rest of `14.03.2025`, `14/03/2025`, `14-03-2025` or `14 March 2025`.
        private mutating func dayFirst(_ first: (value: Int, digits: Int)) -> Day? {
            let separator = current
            if [UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-")].contains(separator),
                index + 1 < bytes.count, bytes[index + 1].isASCIIDigit
            {
                index += 1
                guard let second = number(maximumDigits: 2), current == separator else { return nil }
                index += 1
                guard let year = number(maximumDigits: 4), year.digits == 4 else { return nil }
                return ordered(
                    first.value, second.value, year.value, isGerman: separator == UInt8(ascii: "."))
            }
            skipOrdinal()
            skip { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == 32 }
            var name = word()
            if name == "of" || name == "de" {
                skip { $0 == 32 }
                name = word()
            }
            guard let month = MonthName.number(name) else { return nil }
            skip { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ",") || $0 == 32 }
            guard let year = number(maximumDigits: 4), year.digits == 4 else { return nil }
            return Day(year: year.value, month: month, day: first.value)
        }

        /// Reads the rest of `March 14, 2025` or `March 2025`.
        private mutating func monthFirst(_ month: Int) -> Day? {
            skip { $0 == UInt8(ascii: ".") || $0 == 32 }
            guard let first = self.number(maximumDigits: 4) else { return nil }
            if first.digits == 4 { return Day(year: first.value, month: month, day: 1) }
            skipOrdinal()
            skip { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") || $0 == 32 }
            guard let year = self.number(maximumDigits: 4), year.digits == 4 else { return nil }
            return Day(year: year.value, month: month, day: first.value)
        }

        /// Returns a date whose first two numbers are day and month; `nil` if their order is ambiguous.
        private func ordered(_ first: Int, _ second: Int, _ year: Int, isGerman: Bool) -> Day? {
            if isGerman || first > 12 || first == second { return Day(year: year, month: second, day: first) }
            return second > 12 ? Day(year: year, month: first, day: second) : nil
        }

        private mutating func skipOrdinal() {
            for suffix in ["st", "nd", "rd", "th"] where bytes[index...].starts(with: suffix.utf8) {
                index += 2
                return
            }
        }
    }
}
