import Foundation
import RoostModel

/// The conversion of a workbook (ECMA-376, SpreadsheetML) to Markdown: a heading, a table and a list of
/// comments for each sheet.
final class WorkbookDocument {
    private static let maximumColumns = 256

    private static let maximumLinks = 20_000

    private let package: OfficePackage
    private var output: MarkdownOutput
    private var strings: [String] = []
    private var numbers = SpreadsheetNumbers()
    private var unread: [String] = []
    private var links: [DocumentLink] = []
    /// The number of cells of the present sheet that are not read, because they are in later columns.
    private var skippedCells = 0
    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        package = try OfficePackage(archive, defaultPart: "xl/workbook.xml")
        output = MarkdownOutput(limits: limits)
    }

    func document() throws -> Document {
        let xml = try package.mainPart()
        if let styles = try package.xml(ofType: "styles") { try numbers.readStyles(styles) }
        try readStrings()
        var sheets: [(name: String, part: String)] = []
        try xml.descendants { element in
            switch element.name {
            case "workbookPr": numbers.startsIn1904 = ["1", "true"].contains(element["date1904"] ?? "")
            case "sheet":
                let relationship = element["r:id"].flatMap { package.relationships.byID[$0] }
                guard let target = relationship?.target else { return }
                sheets.append((element["name"] ?? "", target))
            default: break
            }
        }
        for sheet in sheets {
            try output.add(MarkdownText.heading(ofPlainText: sheet.name, level: 2))
            try readSheet(sheet.part, name: sheet.name)
        }
        var document = Document(text: output.text, links: links, unreadParts: unread)
        try package.properties().apply(to: &document)
        return document
    }

    private func readStrings() throws {
        guard let xml = try package.xml(ofType: "sharedStrings") else { return }
        try xml.children { _ in
            try xml.children { element in
                guard element.name == "si" else { return }
                strings.append(SpreadsheetText.decoded(try Self.richText(xml)))
            }
        }
    }

    /// Returns the text of the element that was started last, without phonetic guides.
    private static func richText(_ xml: XMLPull) throws -> String {
        var text = ""
        try xml.children { element in
            if element.name == "t" {
                text += try xml.text()
            } else if element.name == "r" {
                text += try richText(xml)
            }
        }
        return text
    }

    private func readSheet(_ part: String, name: String) throws {
        guard let xml = try package.archive.xml(part) else { return }
        var rows: [[String]] = []
        let relationships = try Relationships(of: part, in: package.archive)
        skippedCells = 0
        try xml.descendants { element in
            if element.name == "hyperlink" { addLink(element, relationships) }
            guard element.name == "row" else { return }
            let row = try readRow(xml)
            if !row.isEmpty { rows.append(row) }
        }
        if skippedCells > 0 {
            let cells = Count.text(skippedCells, "cell")
            unread.append("sheet \(name): \(cells) after column \(Self.maximumColumns)")
        }
        if xml.isDamaged { unread.append("sheet \(name): it is damaged; a part of it may be missing") }
        try output.add(MarkdownText.table(rows, maximumBytes: output.remainingBytes))
        try readComments(relationships, sheet: name)
    }

    private func addLink(_ element: XMLPull.Element, _ relationships: Relationships) {
        // Other links lead to a cell of the workbook.
        guard links.count < Self.maximumLinks, let id = element["r:id"] ?? element["id"],
            let link = relationships.byID[id], link.isExternal
        else { return }
        links.append(
            DocumentLink(
                kind: .address, target: link.target, fragment: element["location"], text: element["display"]))
    }

    /// Appends the notes and the comments of a sheet, with the names of their cells. A comment with replies
    /// is also stored as a note for older programs, which is not read again.
    private func readComments(_ relationships: Relationships, sheet: String) throws {
        let threads = relationships.targets(ofType: "threadedComment")
        var cells: Set<String> = []
        for part in threads + relationships.targets(ofType: "comments") {
            guard let xml = try package.archive.xml(part) else { continue }
            let isThread = threads.contains(part)
            try xml.descendants { element in
                guard ["comment", "threadedComment"].contains(element.name), let cell = element["ref"] else {
                    return
                }
                if isThread { cells.insert(cell) } else if cells.contains(cell) { return }
                let text = MarkdownText.singleLine(SpreadsheetText.decoded(try Self.commentText(xml)))
                guard !text.isEmpty else { return }
                try output.add("- \(cell): \(MarkdownText.escaped(text))", isListItem: true)
            }
            if xml.isDamaged {
                unread.append("sheet \(sheet): its comments are damaged; some may be missing")
            }
        }
        output.endBlock()
    }

    /// Returns the text of the comment that was started last: runs, or a text with replies.
    private static func commentText(_ xml: XMLPull) throws -> String {
        var text = ""
        try xml.children { if $0.name == "text" { text += try xml.text() } }
        return text
    }

    private func readRow(_ xml: XMLPull) throws -> [String] {
        var row: [String] = []
        try xml.children { element in
            guard element.name == "c" else { return }
            let column = element["r"].flatMap(Self.column) ?? row.count
            guard column < Self.maximumColumns, column >= row.count else {
                if column >= Self.maximumColumns { skippedCells += 1 }
                return
            }
            var (value, inline, formula) = ("", "", String?.none)
            try xml.children { child in
                switch child.name {
                case "v": value = try xml.text()
                case "f": formula = try xml.text()
                case "is": inline = try Self.richText(xml)
                default: break
                }
            }
            var text = cell(value, inline, type: element["t"], style: element["s"])
            // A program that does not calculate stores no result. An empty text has the type of a text.
            if value.isEmpty, inline.isEmpty, let formula, element["t"] != "str" {
                // The formula of a range of cells is only in the first one.
                text = formula.isEmpty ? "" : "=" + formula
            }
            guard !text.isEmpty else { return }
            row += Array(repeating: "", count: column - row.count) + [text]
        }
        return row
    }

    private func cell(_ value: String, _ inline: String, type: String?, style: String?) -> String {
        switch type {
        case "s":
            guard let index = Int(value), strings.indices.contains(index) else { return "" }
            return strings[index]
        case "inlineStr": return SpreadsheetText.decoded(inline)
        case "b": return value == "1" ? "TRUE" : "FALSE"
        case "str": return SpreadsheetText.decoded(value)
        case "e", "d": return value
        default: return numbers.text(of: value, style: style.flatMap { Int($0) } ?? 0)
        }
    }

    /// Returns the index of the column of a cell, such as 27 for `AB12`; `nil` if the name is invalid.
    static func column(_ cell: String) -> Int? {
        var column = 0
        for byte in cell.utf8 {
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) else { break }
            column = column * 26 + Int(byte - UInt8(ascii: "A")) + 1
            guard column < 1 << 20 else { return nil }
        }
        return column > 0 ? column - 1 : nil
    }
}

/// The presentation of the numbers in a workbook. Dates and durations are numbers with such a format.
struct SpreadsheetNumbers {
    /// Whether day 0 is 1 January 1904 instead of 30 December 1899.
    var startsIn1904 = false
    private enum Kind {
        case number, date, duration
        /// A number with leading zeros, such as a postal code, and the number of its digits.
        case digits(Int)
        /// A percentage, and the number of its decimals.
        case percentage(Int)
    }

    private var kinds: [Kind] = []

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
            (46, .duration), (9, .percentage(0)), (10, .percentage(2)),
        ])

    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let elapsed = #/\[(?:h+|m+|s+)\]/#
    nonisolated(unsafe) private static let percentage = #/[#,]*0(\.?0*)%/#
    nonisolated(unsafe) private static let literals = #/"[^"]*"|\[[^\]]*\]|\\./#
    /// The maximum number of characters of a format in spreadsheet programs.
    private static let maximumFormatLength = 255

    /// Returns the kind of a format: durations have hours, minutes or seconds in brackets, and dates a year,
    /// day, hour or second outside of quotation marks and brackets. A format of several zeros adds zeros.
    private static func kind(ofFormat format: String) -> Kind {
        let format = format.prefix(maximumFormatLength).lowercased()
        if format.firstMatch(of: elapsed) != nil { return .duration }
        let code = format.replacing(literals, with: "")
        if code.count > 1, code.allSatisfy({ $0 == "0" }) { return .digits(code.count) }
        if let match = code.wholeMatch(of: percentage) {
            return .percentage(max(0, match.output.1.count - 1))
        }
        return code.contains { "ydhs".contains($0) } && !code.contains("general") ? .date : .number
    }

    /// Returns the text of a number: an ISO 8601 date if the style is one of dates, and hours, minutes and
    /// seconds such as `30:00:00` if it is one of durations. Leading zeros and percentages are those that people see.
    func text(of value: String, style: Int) -> String {
        guard let number = Double(value), number.isFinite else { return value }
        let kind = kinds.indices.contains(style) ? kinds[style] : .number
        switch kind {
        case .date where (0..<3_000_000).contains(number): return date(number)
        case .duration where abs(number) < 3_000_000: return Self.duration(number)
        case .digits(let count) where (0..<1e15).contains(number) && number == number.rounded():
            return String(format: "%0*d", count, Int(number))
        case .percentage(let decimals) where abs(number) < 1e12:
            return String(format: "%.*f%%", decimals, number * 100)
        default: break
        }
        // Files contain up to 17 digits, such as 0.10000000000000001. Spreadsheet programs show 15.
        guard value.contains("."), value.count > 15 else { return value }
        return String(format: "%.15g", number)
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
        let text = DateText.string(from: Date(timeIntervalSince1970: seconds - days * 86_400))
        let time = text.dropFirst(11).prefix(5)
        if number < 1 { return String(time) }
        return String(text.prefix(10)) + (number == number.rounded() ? "" : " " + time)
    }
}

/// The escapes of texts in SpreadsheetML (ECMA-376, ST_Xstring).
enum SpreadsheetText {
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let escape = #/_x([0-9A-Fa-f]{4})_/#

    /// Returns a text with the characters that escapes such as `_x000D_` stand for. Control characters become
    /// spaces.
    static func decoded(_ text: String) -> String {
        guard text.contains("_x") else { return text }
        return text.replacing(escape) { match in
            guard let scalar = UInt32(match.output.1, radix: 16).flatMap(Unicode.Scalar.init) else {
                return String(match.output.0)
            }
            return scalar.properties.generalCategory == .control ? " " : String(Character(scalar))
        }
    }
}
