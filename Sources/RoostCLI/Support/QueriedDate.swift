import Foundation
import RoostMemory
import RoostModel

/// The period that a query names: one that is only a day or a month, such as `2025-03-14` or `date:2025-03`,
/// or a question such as `what did I do on 4 May 2025`. The dates of entries are not words of their texts, so
/// only a filter finds them.
struct QueriedDate {
    /// The first and the last day, in the form of `--since`; for a query that is only a month, the month.
    let first: String
    let last: String

    private static let names = ["date:", "created:"]
    /// The numbers of digits and the ranges of the year, the month and the day.
    private static let (lengths, ranges) = ([4, 2, 2], [1...9999, 1...12, 1...31])

    /// Returns `nil` for other queries.
    init?(_ query: String, now: Date = Date()) {
        let name = Self.names.first { query.hasPrefix($0) } ?? ""
        let date = query.dropFirst(name.count)
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        let isDate =
            (2...3).contains(parts.count)
            && zip(parts, zip(Self.lengths, Self.ranges)).allSatisfy { part, form in
                part.utf8.count == form.0 && part.utf8.allSatisfy { (48...57).contains($0) }
                    && Int(part).map(form.1.contains) == true
            }
        if isDate {
            guard TimeArgument(now: now).period(String(date)) != nil else { return nil }
            (first, last) = (String(date), String(date))
        } else {
            guard query.contains(where: \.isLetter),
                let days = TimesInText(query, now: now, timeZone: .current).onlyPeriod
            else { return nil }
            // The last moment of the period is in its last day.
            let end = max(days.lowerBound, days.upperBound.addingTimeInterval(-1))
            (first, last) = (Self.day(of: days.lowerBound), Self.day(of: end))
        }
    }

    private static func day(of date: Date) -> String {
        String(DateText.minutes(of: date).prefix { $0 != " " })
    }
}
