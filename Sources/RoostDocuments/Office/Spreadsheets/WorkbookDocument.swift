import Foundation
import RoostModel

/// The conversion of a workbook (ECMA-376, SpreadsheetML) to Markdown: a heading, a table and a list of
/// comments for each sheet.
final class WorkbookDocument {
    /// The maximum number of rows of a sheet that are read.
    private static let maximumRows = 20_000
    /// The maximum number of columns of a sheet that are read.
    private static let maximumColumns = 256

    /// The maximum number of links that are read.
    private static let maximumLinks = 20_000

    private let archive: ZipArchive
    private let package: Relationships
    private let part: String
    private let relationships: Relationships
    private var output: MarkdownOutput
    private var strings: [String] = []
    private var numbers = SpreadsheetNumbers()
    private var unread: [String] = []
    private var links: [DocumentLink] = []
    /// The number of cells of the present sheet that are not read, because they are in later columns.
    private var skippedCells = 0
    /// The number of cells in the last row that is read which are omitted, because the text would become too
    /// long.
    private var excessCells = 0
    /// The number of formulas of the present sheet whose results and texts the file does not contain.
    private var missingResults = 0

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        self.archive = archive
        package = try Relationships(of: "", in: archive)
        part = package.targets(ofType: "officeDocument").first ?? "xl/workbook.xml"
        relationships = try Relationships(of: part, in: archive)
        output = MarkdownOutput(limits: limits)
    }

    func document(_ type: DocumentType) throws -> Document {
        guard let xml = try archive.xml(part) else {
            throw DocumentError.damaged("its part \(part) is missing")
        }
        if let styles = try relationships.targets(ofType: "styles").first.flatMap({ try archive.xml($0) }) {
            try numbers.readStyles(styles)
        }
        try readStrings()
        var sheets: [(name: String, part: String)] = []
        try xml.descendants { element in
            switch element.name {
            case "workbookPr": numbers.startsIn1904 = ["1", "true"].contains(element["date1904"] ?? "")
            case "sheet":
                guard let id = element["r:id"], let target = relationships.byID[id]?.target else { return }
                sheets.append((element["name"] ?? "", target))
            default: break
            }
        }
        for sheet in sheets {
            let heading = MarkdownText.heading(ofPlainText: sheet.name, level: 2)
            // After a cell without room, the next sheets are not searched for cells that are short enough.
            guard excessCells == 0, heading.utf8.count <= output.remainingBytes else {
                unread.append("sheet \(sheet.name): all rows")
                continue
            }
            try output.add(heading)
            try readSheet(sheet.part, name: sheet.name)
        }
        var document = Document(type: type, text: output.text, links: links, unreadParts: unread)
        try CoreProperties.read(package: package, in: archive).apply(to: &document)
        return document
    }

    private func readStrings() throws {
        guard let part = relationships.targets(ofType: "sharedStrings").first, let xml = try archive.xml(part)
        else { return }
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
        guard let xml = try archive.xml(part) else {
            // A chart sheet has no cells.
            return
        }
        var table = TableRows(maximumBytes: output.remainingBytes)
        var skipped = 0
        var isCut = false
        let relationships = try Relationships(of: part, in: archive)
        (skippedCells, missingResults) = (0, 0)
        try xml.descendants { element in
            if element.name == "hyperlink" { addLink(element, relationships) }
            guard element.name == "row" else { return }
            guard table.rows.count < Self.maximumRows, excessCells == 0 else {
                skipped += 1
                return
            }
            let row = try readRow(xml, table)
            if row.isEmpty {
                skipped += excessCells > 0 ? 1 : 0
            } else {
                isCut = excessCells > 0
                _ = table.append(row)
            }
        }
        let count = table.rows.count
        if skippedCells > 0 {
            let cells = Count.text(skippedCells, "cell")
            unread.append("sheet \(name): \(cells) after column \(Self.maximumColumns)")
        }
        if missingResults > 0 {
            let results = missingResults == 1 ? "result" : "results"
            let formulas = Count.text(missingResults, "formula is", "formulas are")
            unread.append("sheet \(name): the \(results) of \(formulas) not stored")
        }
        if isCut { unread.append("sheet \(name): \(Count.text(excessCells, "cell")) of row \(count)") }
        if skipped > 0 { unread.append("sheet \(name): \(Count.text(skipped, "row")) after row \(count)") }
        if xml.isDamaged { unread.append("sheet \(name): it is damaged; a part of it may be missing") }
        try output.add(table.markdown)
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
        var skipped = 0
        for part in threads + relationships.targets(ofType: "comments") {
            guard let xml = try archive.xml(part) else { continue }
            let isThread = threads.contains(part)
            try xml.descendants { element in
                guard ["comment", "threadedComment"].contains(element.name), let cell = element["ref"] else {
                    return
                }
                if isThread { cells.insert(cell) } else if cells.contains(cell) { return }
                let text = MarkdownText.singleLine(SpreadsheetText.decoded(try Self.commentText(xml)))
                guard !text.isEmpty else { return }
                let line = "- \(cell): \(MarkdownText.escaped(text))"
                // The line breaks before it need two bytes.
                if skipped == 0, line.utf8.count + 2 <= output.remainingBytes {
                    try output.add(line, isListItem: true)
                } else {
                    skipped += 1
                }
            }
            if xml.isDamaged {
                unread.append("sheet \(sheet): its comments are damaged; some may be missing")
            }
        }
        if skipped > 0 { unread.append("sheet \(sheet): \(Count.text(skipped, "comment"))") }
        output.endBlock()
    }

    /// Returns the text of the comment that was started last: runs, or a text with replies.
    private static func commentText(_ xml: XMLPull) throws -> String {
        var text = ""
        try xml.children { element in
            guard element.name == "text" else { return }
            text += try xml.text()
        }
        return text
    }

    /// Returns the cells of the row that was started last, as many as a table has room for. Each cell is
    /// checked, because all cells of a row can refer to the same long text.
    private func readRow(_ xml: XMLPull, _ table: TableRows) throws -> [String] {
        var row: [String] = []
        var bytes = 0
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
                text = formula.isEmpty ? "" : "=" + formula
                // The formula of a range of cells is only in the first one.
                if formula.isEmpty { missingResults += 1 }
            }
            guard !text.isEmpty else { return }
            guard excessCells == 0,
                table.hasRoom(columns: column + 1, bytes: bytes + TableRows.bytes(of: text))
            else {
                excessCells += 1
                return
            }
            bytes += TableRows.bytes(of: text)
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
