import Foundation

/// The presentation of the numbers in a workbook. Dates and durations are numbers with such a format.
struct SpreadsheetNumbers {
    /// Whether day 0 is 1 January 1904 instead of 30 December 1899.
    var startsIn1904 = false
    private enum Kind {
        case number, date, duration
    }

    /// The kinds of the cell formats, by index.
    private var kinds: [Kind] = []

    /// Reads the part `styles`.
    mutating func readStyles(_ xml: XMLPull) throws {
        var custom: [Int: Kind] = [:]
        try xml.children { _ in
            try xml.children { group in
                try xml.children { element in
                    guard let number = element["numFmtId"].flatMap({ Int($0) }) else { return }
                    if group.name == "numFmts" {
                        custom[number] = Self.kind(ofFormat: element["formatCode"] ?? "")
                    } else if group.name == "cellXfs" {
                        kinds.append(custom[number] ?? Self.builtIn[number] ?? .number)
                    }
                }
            }
        }
    }

    /// The kinds of the formats that need no declaration (ECMA-376, part 1, 18.8.30). 46 is `[h]:mm:ss`.
    private static let builtIn: [Int: Kind] = Dictionary(
        uniqueKeysWithValues: [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map { ($0, .date) } + [
            (46, .duration)
        ])

    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let elapsed = #/\[(?:h+|m+|s+)\]/#

    /// Returns the kind of a format: durations have hours, minutes or seconds in brackets, and dates a year,
    /// day, hour or second outside quotation marks and brackets.
    private static func kind(ofFormat format: String) -> Kind {
        let lowercased = format.lowercased()
        if lowercased.firstMatch(of: elapsed) != nil { return .duration }
        let code = withoutLiterals(lowercased)
        return code.contains { "ydhs".contains($0) } && !code.contains("general") ? .date : .number
    }

    /// Returns a format without the texts in quotation marks and brackets and the characters after
    /// backslashes.
    private static func withoutLiterals(_ format: String) -> String {
        let lastBracket = format.lastIndex(of: "]")
        var code = ""
        var rest = format[...]
        while let first = rest.popFirst() {
            var end: String.Index?
            switch first {
            case "\"": end = rest.firstIndex(of: "\"")
            // Without a closing bracket in the rest, a search would go to the end for each opening one.
            case "[" where lastBracket.map { $0 >= rest.startIndex } == true: end = rest.firstIndex(of: "]")
            case "\\": end = rest.indices.first
            default: break
            }
            if let end {
                rest = rest[rest.index(after: end)...]
            } else {
                code.append(first)
            }
        }
        return code
    }

    /// Returns the text of a number: an ISO 8601 date if the style is one of dates, and hours, minutes and
    /// seconds such as `30:00:00` if it is one of durations.
    func text(of value: String, style: Int) -> String {
        guard let number = Double(value), number.isFinite else { return value }
        let kind = kinds.indices.contains(style) ? kinds[style] : .number
        if kind == .date, (0..<3_000_000).contains(number) { return date(number) }
        if kind == .duration, abs(number) < 3_000_000 { return Self.duration(number) }
        // Files contain up to 17 digits, such as 0.10000000000000001. Spreadsheet programs show 15.
        guard value.contains("."), value.count > 15 else { return value }
        let rounded = String(format: "%.15g", number)
        return rounded
    }

    private static func duration(_ days: Double) -> String {
        let seconds = Int((abs(days) * 86_400).rounded())
        let text = String(format: "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
        return days < 0 && seconds > 0 ? "-" + text : text
    }

    private func date(_ number: Double) -> String {
        let seconds = (number * 86_400).rounded()
        // Days from the first day to 1 January 1970.
        let days = startsIn1904 ? 24_107.0 : 25_569.0
        let date = Date(timeIntervalSince1970: seconds - days * 86_400)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        let time = String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
        if number < 1 { return time }
        let day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        return number == number.rounded() ? day : day + " " + time
    }
}
