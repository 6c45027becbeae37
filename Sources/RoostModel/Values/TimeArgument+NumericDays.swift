/// Days that are written in digits, in other forms than ISO 8601.
extension TimeArgument {
    /// Returns a text with its first day in the form 2026-01-31, if it begins with a day such as `2026/1/31`,
    /// `2026.1.31`, `2026-1-31` or `31.1.2026`. Days with points and the year at the end begin with the day
    /// of the month in all countries that use them. `1/2/2026` is not changed, because it can be two days.
    static func normalizingDay(of text: String) -> String {
        let yearFirst = /(?<year>[0-9]{4})(?<sign>[-\/.])(?<month>[0-9]{1,2})\k<sign>(?<day>[0-9]{1,2})/
        let dayFirst = /(?<day>[0-9]{1,2})\.(?<month>[0-9]{1,2})\.(?<year>[0-9]{4})/
        if let match = text.prefixMatch(of: yearFirst) {
            return iso(match.year, match.month, match.day, text[match.range.upperBound...])
        }
        guard let match = text.prefixMatch(of: dayFirst) else { return text }
        return iso(match.year, match.month, match.day, text[match.range.upperBound...])
    }

    private static func iso(
        _ year: Substring, _ month: Substring, _ day: Substring, _ rest: Substring
    ) -> String {
        func twoDigits(_ number: Substring) -> String { number.count == 1 ? "0" + number : String(number) }
        return "\(year)-\(twoDigits(month))-\(twoDigits(day))\(rest)"
    }

    /// Returns why a text is no time, for messages; `nil` if there is nothing more to say than the forms.
    package static func advice(on text: String) -> String? {
        guard let match = text.wholeMatch(of: /\s*([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})\s*/) else {
            return nil
        }
        let orders = [(month: match.1, day: match.2), (month: match.2, day: match.1)]
        let possible = orders.filter { (1...12).contains(Int($0.month) ?? 0) }
        let days = Set(possible.map { iso(match.3, $0.month, $0.day, "") })
        return days.isEmpty ? nil : "write the day as " + days.sorted().joined(separator: " or ")
    }
}
