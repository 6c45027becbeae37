import Foundation

/// The presentation of the numbers in a workbook. Dates are numbers with a format of dates.
struct SpreadsheetNumbers {
    /// Whether day 0 is 1 January 1904 instead of 30 December 1899.
    var startsIn1904 = false
    /// Whether the cell formats, by index, are formats of dates.
    private var isDate: [Bool] = []

    /// Reads the part `styles`.
    mutating func readStyles(_ xml: XMLPull) throws {
        var custom: Set<Int> = []
        try xml.children { _ in
            try xml.children { group in
                try xml.children { element in
                    guard let number = element["numFmtId"].flatMap({ Int($0) }) else { return }
                    if group.name == "numFmts", Self.isDateFormat(element["formatCode"] ?? "") {
                        custom.insert(number)
                    } else if group.name == "cellXfs" {
                        let isBuiltIn = (14...22).contains(number) || (45...47).contains(number)
                        isDate.append(isBuiltIn || custom.contains(number))
                    }
                }
            }
        }
    }

    /// Returns whether a format contains a year, day, hour or second outside quotation marks and brackets.
    private static func isDateFormat(_ format: String) -> Bool {
        let code = withoutLiterals(format.lowercased())
        return code.contains { "ydhs".contains($0) } && !code.contains("general")
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

    /// Returns the text of a number: an ISO 8601 date if the style is one of dates.
    func text(of value: String, style: Int) -> String {
        guard let number = Double(value), number.isFinite else { return value }
        if isDate.indices.contains(style), isDate[style], (0..<3_000_000).contains(number) {
            return date(number)
        }
        // Files contain up to 17 digits, such as 0.10000000000000001. Spreadsheet programs show 15.
        guard value.contains("."), value.count > 15 else { return value }
        let rounded = String(format: "%.15g", number)
        return rounded
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
