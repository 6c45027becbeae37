import Foundation
import RoostModel

/// Converts the elements of HTML or XHTML to Markdown. Unknown elements contribute their text.
///
/// The readers of books and mail use the converter, because all text of these documents is content. For web
/// pages, ``HTMLReader`` selects the main content instead.
final class MarkupConverter {
    /// The text.
    private(set) var output: MarkdownOutput
    /// The links, in order.
    private(set) var links: [DocumentLink] = []
    /// The text of the element `title`.
    private(set) var title: String?
    /// Whether the text has a heading.
    private(set) var hasHeading = false
    /// Whether the text has a table, or elements with which tables lay out a page.
    private(set) var hasTable = false
    /// Whether the text has lists, quotations or code.
    private(set) var hasStructure = false
    /// The paragraphs without Markdown.
    private(set) var paragraphs: [String] = []

    private let xml: XMLPull
    private let limits: DocumentLimits
    private var inline = ""
    private var listMarks: [String] = []
    private var isFirstBlockOfItem = false
    private var quotationDepth = 0

    private static let ignored: Set = [
        "script", "style", "template", "noscript", "svg", "object", "iframe", "rt", "rp", "select", "button",
    ]
    private static let blocks: Set = [
        "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "figure", "figcaption",
        "address", "dl", "dt", "dd", "form", "fieldset", "details", "summary", "center", "body", "hr", "tr",
        "td", "th", "caption", "html",
    ]

    /// Returns whether an element states that it is not shown, such as the preview text of mail.
    ///
    /// A font size of 0 does not count: programs that write mail use it to remove the spaces between blocks.
    static func isHidden(_ element: XMLPull.Element) -> Bool {
        if element["hidden"] != nil { return true }
        guard let style = element["style"] else { return false }
        let declarations = style.lowercased().filter { !$0.isWhitespace }.split(separator: ";").map {
            $0.hasSuffix("!important") ? $0.dropLast("!important".count) : $0
        }
        func states(_ name: String, _ values: [String]) -> Bool {
            declarations.contains { declaration in values.contains { declaration == name + ":" + $0 } }
        }
        return states("display", ["none"]) || states("visibility", ["hidden", "collapse"])
            || states("opacity", ["0"])
            || states("overflow", ["hidden"])
                && (states("max-height", ["0", "0px"]) || states("height", ["0", "0px"]))
    }

    init(_ xml: XMLPull, limits: DocumentLimits) {
        self.xml = xml
        self.limits = limits
        output = MarkdownOutput(limits: limits)
    }

    /// Converts the whole document, or the contents of the element that was started last.
    func convert() throws {
        try readChildren()
        try flush()
    }

    /// Converts the element that was started last.
    func convert(_ element: XMLPull.Element) throws {
        try read(element)
        try flush()
    }

    func convert(text: String) throws {
        append(text)
        try flush()
    }

    private func readChildren() throws {
        try xml.children({ try read($0) }, text: { append($0) })
    }

    private func append(_ text: String) {
        for character in text {
            if character.isWhitespace && character != "\u{A0}" {
                if let last = inline.last, last != " ", last != "\n" { inline.append(" ") }
            } else if !["\u{AD}", "\u{200B}", "\u{FEFF}", "\u{34F}"].contains(character) {
                inline.append(character == "\u{A0}" ? " " : character)
            }
        }
    }

    private func read(_ element: XMLPull.Element) throws {
        let name = element.name.lowercased()
        switch name {
        case _ where Self.ignored.contains(name) || Self.isHidden(element): break
        case "head": try readHead()
        case "h1", "h2", "h3", "h4", "h5", "h6":
            try readHeading(level: Int(name.dropFirst()) ?? 1)
        case "br": inline += "\n"
        case "pre": try readCode()
        case "ul", "ol", "menu": try readList(isNumbered: name == "ol")
        case "blockquote":
            try flush()
            hasStructure = true
            quotationDepth += 1
            try readChildren()
            try flush()
            quotationDepth -= 1
        case "table": try readTable(element)
        case "a": try readLink(element)
        case "math":
            if let text = element["alttext"] { append(text) } else { try readChildren() }
        case "img":
            if let text = element["alt"], text.contains(where: \.isLetter) { append(" \(text) ") }
        case _ where Self.blocks.contains(name):
            try flush()
            try readChildren()
            try flush()
        default: try readChildren()
        }
    }

    private func readHead() throws {
        try xml.children { element in
            guard element.name.lowercased() == "title" else { return }
            let text = MarkdownText.singleLine(try xml.text())
            if !text.isEmpty { title = text }
        }
    }

    private func readHeading(level: Int) throws {
        try flush()
        try readChildren()
        let text = inline
        inline = ""
        let heading = MarkdownText.heading(ofPlainText: text, level: level)
        guard !heading.isEmpty else { return }
        hasHeading = true
        paragraphs.append(MarkdownText.singleLine(text))
        try output.add(heading)
    }

    private func readCode() throws {
        try flush()
        hasStructure = true
        let code = try xml.text()
        guard code.contains(where: { !$0.isWhitespace }) else { return }
        paragraphs.append(code)
        try add(MarkdownText.fence(code, language: ""))
    }

    private func readList(isNumbered: Bool) throws {
        try flush()
        hasStructure = true
        var number = 0
        try xml.children(
            { element in
                guard element.name.lowercased() == "li" else {
                    try read(element)
                    return
                }
                try flush()
                number += 1
                listMarks.append(isNumbered ? "\(number). " : "- ")
                isFirstBlockOfItem = true
                try readChildren()
                try flush()
                isFirstBlockOfItem = false
                listMarks.removeLast()
            }, text: { append($0) })
        try flush()
    }

    private func readTable(_ element: XMLPull.Element) throws {
        try flush()
        hasTable = true
        let table = MarkupTable(xml, element, limits: limits, maximumBytes: output.remainingBytes)
        try table.readRows()
        links += table.links
        hasHeading = hasHeading || table.hasHeading
        for block in table.isData ? [try table.markdown()] : table.blocks { try add(block) }
    }

    private func readLink(_ element: XMLPull.Element) throws {
        let start = inline.utf8.count
        try readChildren()
        guard let address = element["href"], !address.isEmpty, !address.hasPrefix("javascript:") else {
            return
        }
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let text = MarkdownText.singleLine(inline.suffix(fromByte: start))
        if parts.count > 1, Self.isNoteMark(text) { separateNoteMark(text, at: start) }
        links.append(
            DocumentLink(
                kind: .address, target: String(parts[0]), fragment: parts.count > 1 ? String(parts[1]) : nil,
                text: text.isEmpty ? nil : text))
    }

    /// Returns whether the text of a link to a part of a document is the mark of a note: a number or a sign.
    private static func isNoteMark(_ text: String) -> Bool {
        (1...4).contains(text.count) && text.allSatisfy { $0.isNumber || "*†‡§".contains($0) }
    }

    /// Encloses the mark of a note directly after a word or its punctuation in brackets. Otherwise, a
    /// raised number would become a part of the word.
    private func separateNoteMark(_ text: String, at offset: Int) {
        let start = inline.utf8.index(inline.startIndex, offsetBy: offset)
        guard let last = inline[..<start].last, !last.isWhitespace else { return }
        inline.removeSubrange(start...)
        inline += "[\(text)]"
    }

    /// Appends the collected text as a paragraph.
    private func flush() throws {
        let text = inline.trimmingCharacters(in: .whitespacesAndNewlines)
        inline = ""
        guard text.unicodeScalars.contains(where: { !Self.isInvisible($0) }) else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let trimmed = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        paragraphs.append(trimmed)
        try add(MarkdownText.escaped(trimmed))
    }

    /// Whether a character shows nothing. Mail contains lines of them after its preview text.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Appends a block with the marks of the lists and quotations that contain it.
    private func add(_ block: String) throws {
        // The marks at the beginning of each line can be much longer than the text.
        let marks = 4 * listMarks.count + 2 * min(quotationDepth, 20)
        try output.requireRoom(block.utf8.count + marks * block.utf8.count { $0 == UInt8(ascii: "\n") })
        var block = block
        var isListItem = false
        if !listMarks.isEmpty {
            let indent = String(repeating: "    ", count: listMarks.count - 1)
            let mark = isFirstBlockOfItem ? listMarks[listMarks.count - 1] : "  "
            block = indent + mark + block.replacingOccurrences(of: "\n", with: "\n" + indent + "  ")
            isListItem = isFirstBlockOfItem
            isFirstBlockOfItem = false
        }
        if quotationDepth > 0 {
            let mark = String(repeating: "> ", count: min(quotationDepth, 20))
            block = mark + block.replacingOccurrences(of: "\n", with: "\n" + mark)
        }
        try output.add(block, isListItem: isListItem)
    }
}
