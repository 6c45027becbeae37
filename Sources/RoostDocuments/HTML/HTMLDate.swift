package import Foundation

/// Reads the dates in the metadata of pages and feeds.
package enum HTMLDate {
    /// Parses a date in the formats of ISO 8601 or RFC 822; a date without a time is midnight UTC.
    ///
    /// Returns `nil` for other formats, and for dates before 1970 or after 2200, which are mistakes of the
    /// page.
    package static func parse(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 8, text.utf8.count <= 64 else { return nil }
        guard let date = internetDate(text) ?? mailDate(text) else { return nil }
        return (0..<7_258_118_400).contains(date.timeIntervalSince1970) ? date : nil
    }

    /// Parses `2025-03-14`, `20250314`, and either of them with a time and a time zone.
    private static func internetDate(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), skip(&rest, "-/") || true, let month = number(&rest, 2),
            skip(&rest, "-/") || true, let day = number(&rest, 2)
        else { return nil }
        var (hour, minute, second, offset) = (0, 0, 0, 0)
        if skip(&rest, "Tt "), let hours = number(&rest, 2) {
            hour = hours
            _ = skip(&rest, ":")
            minute = number(&rest, 2) ?? 0
            if skip(&rest, ":") { second = min(59, number(&rest, 2) ?? 0) }
            if skip(&rest, ".,") { rest = rest.drop { $0 >= 0x30 && $0 <= 0x39 } }
            _ = skip(&rest, " ")
            offset = zone(&rest)
        }
        return date(year, month, day, hour, minute, second, offset)
    }

    /// Parses `Fri, 14 Mar 2025 10:00:00 +0100` and `March 14, 2025`.
    private static func mailDate(_ text: String) -> Date? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let parts = text.lowercased().split { " ,-".contains($0) }.map(String.init)
        guard let position = parts.firstIndex(where: { months.contains(String($0.prefix(3))) }),
            let month = months.firstIndex(of: String(parts[position].prefix(3)))
        else { return nil }
        let before = position > 0 ? Int(parts[position - 1]) : nil
        let after = parts.dropFirst(position + 1).first.flatMap { Int($0) }
        let yearPosition = before == nil ? position + 2 : position + 1
        guard let day = before ?? after, yearPosition < parts.count, let year = Int(parts[yearPosition])
        else {
            return nil
        }
        var (hour, minute, second, offset) = (0, 0, 0, 0)
        if let time = parts.dropFirst(yearPosition + 1).first, time.contains(":") {
            let values = time.split(separator: ":").map { Int($0) ?? 0 }
            (hour, minute) = (values.first ?? 0, values.dropFirst().first ?? 0)
            second = values.dropFirst(2).first ?? 0
            // The splitting removed a minus sign before the offset.
            if let sign = text.last(where: { "+-".contains($0) }),
                let range = text.range(of: "\(sign)", options: .backwards)
            {
                var rest = Array(text[range.lowerBound...].utf8)[...]
                offset = zone(&rest)
            }
        }
        return date(year < 100 ? year + 2000 : year, month + 1, day, hour, minute, second, offset)
    }

    private static func date(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ offset: Int
    ) -> Date? {
        guard (1900...2200).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0...24).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = calendar.date(from: components),
            calendar.component(.day, from: date) == day || hour == 24
        else { return nil }
        return date.addingTimeInterval(Double(-offset))
    }

    /// Reads the offset from UTC in seconds.
    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Int {
        guard let sign = rest.first, sign == 0x2B || sign == 0x2D else { return 0 }
        rest = rest.dropFirst()
        guard let hours = number(&rest, 2), hours <= 15 else { return 0 }
        _ = skip(&rest, ":")
        let minutes = number(&rest, 2) ?? 0
        return (sign == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let part = rest.prefix(digits)
        guard part.count == digits, part.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        rest = rest.dropFirst(digits)
        return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
