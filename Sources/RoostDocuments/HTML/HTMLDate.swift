package import Foundation

/// Reads the dates in the metadata of pages and feeds, and in mail.
package enum HTMLDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Parses a date in the formats of ISO 8601 or RFC 822; a date without a time is midnight UTC.
    ///
    /// Returns `nil` for other formats, and for dates before 1970 or after 2200, which are mistakes of the
    /// page.
    package static func parse(_ text: String) -> Date? {
        guard text.utf8.count >= 8, text.utf8.count <= 64,
            let date = DocumentDates.date(fromISO: text) ?? mailDate(text)
        else { return nil }
        return (0..<7_258_118_400).contains(date.timeIntervalSince1970) ? date : nil
    }

    /// Parses `Fri, 14 Mar 2025 10:00:00 +0100`, with or without the day of the week, time and time zone.
    private static func mailDate(_ text: String) -> Date? {
        var parts = text.lowercased().split(whereSeparator: \.isWhitespace)[...]
        if parts.first?.hasSuffix(",") == true { parts = parts.dropFirst() }
        let values = Array(parts)
        guard values.count >= 3, let day = Int(values[0]), let year = Int(values[2]),
            let month = months.firstIndex(of: String(values[1].prefix(3)))
        else { return nil }
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var result = "\(year < 100 ? year + 2000 : year)-\(padded(month + 1))-\(padded(day))"
        if values.count > 3 {
            let isOffset = values.count > 4 && ["+", "-"].contains(values[4].first)
            result += "T\(values[3])\(isOffset ? values[4] : "Z")"
        }
        return DocumentDates.date(fromISO: result)
    }
}
