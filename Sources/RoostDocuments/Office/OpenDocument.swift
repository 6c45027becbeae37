import Foundation
import RoostModel

/// The conversion of a text, presentation or spreadsheet in the OpenDocument format (ISO/IEC 26300) to
/// Markdown.
final class OpenDocument {
    private let archive: ZipArchive
    private var output: MarkdownOutput
    private var links: [DocumentLink] = []
    private var notes: [String] = []
    private var unread: [String] = []
    private var pages = 0
    private var isSpreadsheet = false
    /// The list styles whose first level has numbers.
    private var numberedLists: Set<String> = []

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        self.archive = archive
        output = MarkdownOutput(limits: limits)
    }

    func document() throws -> Document {
        if let manifest = try archive.xml("META-INF/manifest.xml") {
            var isEncrypted = false
            try manifest.descendants { if $0.name == "encryption-data" { isEncrypted = true } }
            if isEncrypted { throw DocumentError.encrypted }
        }
        guard let xml = try archive.xml("content.xml") else {
            throw DocumentError.damaged("its part content.xml is missing")
        }
        try xml.children { _ in
            try xml.children { element in
                if element.name == "automatic-styles" { try readListStyles(xml) }
                guard element.name == "body" else { return }
                try readBlocks(xml) { try output.add($0, isListItem: $1) }
            }
        }
        for (index, note) in notes.enumerated() { try output.add("[^\(index + 1)]: \(note)") }
        if xml.isDamaged { unread.append("the text is damaged; a part of it may be missing") }
        var document = Document(text: output.text, links: links, unreadParts: unread)
        if pages > 0 {
            document.location = EntryLocation(page: 1)
            document.metadata["pages"] = .integer(Int64(pages))
        }
        let meta = try archive.xml("meta.xml")
        try CoreProperties.read(meta, group: "meta").apply(to: &document)
        return document
    }

    private func readListStyles(_ xml: XMLPull) throws {
        var style = ""
        try xml.descendants { element in
            if element.name == "list-style" { style = element["style:name"] ?? "" }
            if element.name == "list-level-style-number", element["text:level"] == "1" {
                numberedLists.insert(style)
            }
        }
    }

    /// Reads the blocks in the element that was started last.
    private func readBlocks(_ xml: XMLPull, add: (String, Bool) throws -> Void) throws {
        try xml.children { element in
            switch element.name {
            case "h":
                let level = element["outline-level"].flatMap { Int($0) } ?? 1
                var text = ""
                try readInline(xml, &text, add: add)
                try add(MarkdownText.heading(ofPlainText: text, level: level), false)
            case "p":
                var text = ""
                try readInline(xml, &text, add: add)
                let paragraph = text.trimmingCharacters(in: .whitespacesAndNewlines)
                try add(MarkdownText.escaped(paragraph), false)
            case "list": try readList(xml, element, level: 0, isNumbered: nil, add: add)
            case "table":
                if pages == 0, let name = element["table:name"], isSpreadsheet {
                    try add(MarkdownText.heading(ofPlainText: name, level: 2), false)
                }
                try add(try readTable(xml), false)
            case "spreadsheet":
                isSpreadsheet = true
                try readBlocks(xml, add: add)
            case "page": try readPage(xml)
            case "notes": try readPresenterNotes(xml)
            // Skip deleted text, forms, declarations without text, and the comments of cells.
            case "annotation", "tracked-changes", "forms", "sequence-decls", "variable-decls", "settings",
                "scripts", "desc", "title":
                break
            default: try readBlocks(xml, add: add)
            }
        }
    }

    private func readPage(_ xml: XMLPull) throws {
        if pages > 0 { output.endPage() }
        pages += 1
        try xml.children { element in
            switch element.name {
            case "notes": try readPresenterNotes(xml)
            case "annotation": try output.add(MarkdownOutput.hidden(try readAnnotation(xml)))
            case "frame", "custom-shape", "g":
                let isTitle = element["presentation:class"] == "title"
                var blocks: [(String, Bool)] = []
                try readBlocks(xml) { blocks.append(($0, $1)) }
                let text = blocks.map(\.0).joined(separator: " ")
                if isTitle {
                    try output.add(MarkdownText.heading(ofPlainText: text, level: 2))
                } else {
                    for (block, isListItem) in blocks { try output.add(block, isListItem: isListItem) }
                }
            default: try readBlocks(xml) { try output.add($0, isListItem: $1) }
            }
        }
    }

    private func readPresenterNotes(_ xml: XMLPull) throws {
        var texts: [String] = []
        try readBlocks(xml) { block, _ in if !block.isEmpty { texts.append(block) } }
        if !texts.isEmpty { try output.add("Notes: " + texts.joined(separator: "\n\n")) }
    }

    private func readList(
        _ xml: XMLPull, _ list: XMLPull.Element, level: Int, isNumbered: Bool?,
        add: (String, Bool) throws -> Void
    ) throws {
        let style = list["style-name"]
        let isNumbered = style.map(numberedLists.contains) ?? isNumbered ?? false
        var number = 0
        try xml.children { item in
            guard item.name == "list-item" || item.name == "list-header" else { return }
            number += 1
            var mark = isNumbered ? "\(number). " : "- "
            try xml.children { element in
                let indent = String(repeating: "    ", count: min(level, 8))
                switch element.name {
                case "list":
                    try readList(xml, element, level: level + 1, isNumbered: isNumbered, add: add)
                case "p", "h":
                    var text = ""
                    try readInline(xml, &text, add: add)
                    if element.name == "h" {
                        // Numbered headings are items of a list.
                        let depth = element["outline-level"].flatMap { Int($0) } ?? level + 1
                        try add(MarkdownText.heading(ofPlainText: text, level: depth), false)
                    } else if !text.isEmpty {
                        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
                        try add(indent + mark + MarkdownText.escaped(line), mark != "  ")
                        mark = "  "
                    }
                default: try readBlocks(xml, add: add)
                }
            }
        }
    }

    private func readInline(
        _ xml: XMLPull, _ text: inout String, add: (String, Bool) throws -> Void
    ) throws {
        var blocks: [(String, Bool)] = []
        try readInline(xml, &text, &blocks)
        for (block, isListItem) in blocks { try add(block, isListItem) }
    }

    private func readInline(_ xml: XMLPull, _ text: inout String, _ blocks: inout [(String, Bool)]) throws {
        try xml.children(
            { element in
                switch element.name {
                case "s":
                    let count = element["text:c"].flatMap { Int($0) } ?? 1
                    text += String(repeating: " ", count: min(max(count, 1), 100))
                case "tab": text += "\t"
                case "line-break": text += "\n"
                case "note": try readNote(xml, &text)
                // A comment follows its paragraph.
                case "annotation": blocks.append((MarkdownOutput.hidden(try readAnnotation(xml)), false))
                case "a":
                    let start = text.utf8.count
                    try readInline(xml, &text, &blocks)
                    if let address = element["href"], !address.isEmpty {
                        let label = text.utf8.count > start ? text.suffix(fromByte: start) : nil
                        links.append(DocumentLink(kind: .address, target: address, text: label))
                    }
                // A text box follows the paragraph in which it is anchored.
                case "frame", "custom-shape", "g":
                    try readBlocks(xml) { blocks.append(($0, $1)) }
                default: try readInline(xml, &text, &blocks)
                }
            }, text: { Self.append($0, to: &text) })
    }

    private static func append(_ string: String, to text: inout String) {
        for character in string {
            if character.isNewline || character == " " || character == "\t" {
                if let last = text.last, !last.isWhitespace { text.append(" ") }
            } else {
                text.append(character)
            }
        }
    }

    private func readNote(_ xml: XMLPull, _ text: inout String) throws {
        var paragraphs: [String] = []
        try xml.children { element in
            guard element.name == "note-body" else { return }
            try readBlocks(xml) { block, _ in paragraphs.append(MarkdownText.singleLine(block)) }
        }
        notes.append(paragraphs.joined(separator: " "))
        text += "[^\(notes.count)]"
    }

    private func readAnnotation(_ xml: XMLPull) throws -> String {
        var (author, paragraphs) = ("", [String]())
        try xml.children { element in
            switch element.name {
            case "creator": author = try xml.text() + ": "
            case "p", "list": paragraphs.append(MarkdownText.singleLine(try xml.text()))
            default: break
            }
        }
        return author + paragraphs.joined(separator: " ")
    }

    // MARK: Tables

    private static let maximumColumns = 256
    private static let maximumRepetitions = 1000

    private func readTable(_ xml: XMLPull) throws -> String {
        var rows: [[String]] = []
        try readRows(xml, &rows)
        return try MarkdownText.table(rows, maximumBytes: output.remainingBytes)
    }

    /// Reads the rows of the table that was started last.
    ///
    /// The format stores equal adjacent cells and rows once, with a number of repetitions. This number is often a
    /// million for the empty rest of a sheet, so empty cells at the end of a row and empty rows are omitted, and
    /// other repetitions are limited.
    private func readRows(_ xml: XMLPull, _ rows: inout [[String]]) throws {
        try xml.children { element in
            switch element.name {
            case "table-row":
                let row = try readRow(xml)
                guard row.contains(where: { !$0.isEmpty }) else { return }
                let count = Self.repetitions(element["table:number-rows-repeated"])
                rows += Array(repeating: row, count: count)
            case "table-header-rows", "table-row-group", "table-rows": try readRows(xml, &rows)
            default: break
            }
        }
    }

    private func readRow(_ xml: XMLPull) throws -> [String] {
        var row: [String] = []
        try xml.children { element in
            guard element.name == "table-cell" || element.name == "covered-table-cell" else { return }
            var texts: [String] = []
            try readBlocks(xml) { block, _ in texts.append(block) }
            let count = Self.repetitions(element["table:number-columns-repeated"])
            row += Array(
                repeating: texts.joined(separator: " "), count: min(count, Self.maximumColumns - row.count))
        }
        while row.last?.isEmpty == true { row.removeLast() }
        return row
    }

    private static func repetitions(_ value: String?) -> Int {
        min(max(value.flatMap { Int($0) } ?? 1, 1), maximumRepetitions)
    }
}
