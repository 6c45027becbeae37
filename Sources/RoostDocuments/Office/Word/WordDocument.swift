import Foundation
import RoostModel

/// The conversion of a Word document (ECMA-376, WordprocessingML) to Markdown.
final class WordDocument {
    private let archive: ZipArchive
    private let limits: DocumentLimits
    private let package: Relationships
    private let relationships: Relationships
    private let styles: WordStyles
    private let part: String
    private var output: MarkdownOutput
    private var links: [DocumentLink] = []
    private var comments: [String: String] = [:]
    private var counters: [WordStyles.ListReference: Int] = [:]
    private var unread: [String] = []
    /// The number of bytes of Markdown that further tables may have.
    private var remainingTableBytes: Int

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        self.archive = archive
        self.limits = limits
        package = try Relationships(of: "", in: archive)
        part = package.targets(ofType: "officeDocument").first ?? "word/document.xml"
        relationships = try Relationships(of: part, in: archive)
        styles = try WordStyles(
            styles: try relationships.targets(ofType: "styles").first.flatMap { try archive.xml($0) },
            numbering: try relationships.targets(ofType: "numbering").first.flatMap { try archive.xml($0) })
        output = MarkdownOutput(limits: limits)
        remainingTableBytes = limits.maximumTextBytes
    }

    func document(_ type: DocumentType) throws -> Document {
        guard let xml = try archive.xml(part) else {
            throw DocumentError.damaged("its part \(part) is missing")
        }
        try readComments()
        try xml.children { _ in
            try xml.children { element in
                if element.name == "body" { try readBlocks(xml) { try output.add($0, isListItem: $1) } }
            }
        }
        try addDrawings()
        for kind in ["footnote", "endnote"] { try readNotes(kind) }
        if xml.isDamaged { unread.append("the text is damaged; a part of it may be missing") }
        var document = Document(type: type, text: output.text, links: links, unreadParts: unread)
        try CoreProperties.read(package: package, in: archive).apply(to: &document)
        return document
    }

    /// Appends the texts of charts and diagrams after the text, because their parts are separate.
    private func addDrawings() throws {
        for diagram in Set(relationships.targets(ofType: "diagramData")).sorted() {
            for paragraph in try DrawingText.diagram(diagram, in: archive) {
                try output.add("- " + MarkdownText.escaped(paragraph), isListItem: true)
            }
            output.endBlock()
        }
        for chart in Set(relationships.targets(ofType: "chart")).sorted() {
            if let text = try DrawingText.chart(chart, in: archive) {
                try output.add(text)
            } else {
                unread.append("a chart without names")
            }
        }
    }

    /// Reads the comments, which are written as hidden text after the paragraphs to which they belong.
    private func readComments() throws {
        guard let part = relationships.targets(ofType: "comments").first, let xml = try archive.xml(part)
        else {
            return
        }
        try xml.children { _ in
            try xml.children { element in
                guard element.name == "comment", let id = element["id"] else { return }
                var paragraphs: [String] = []
                try readBlocks(xml) { block, _ in paragraphs.append(MarkdownText.singleLine(block)) }
                let author = element["author"].map { $0 + ": " } ?? ""
                let text = (author + paragraphs.joined(separator: " "))
                comments[id] = text.replacingOccurrences(of: "%%", with: "% %")
            }
        }
    }

    /// Appends the footnotes or endnotes.
    private func readNotes(_ kind: String) throws {
        guard let part = relationships.targets(ofType: kind + "s").first, let xml = try archive.xml(part)
        else {
            return
        }
        try xml.children { _ in
            try xml.children { element in
                // Only the lines that separate notes from the text have a type.
                guard element.name == kind, let id = element["id"], element["type"] == nil else { return }
                var paragraphs: [String] = []
                try readBlocks(xml) { block, _ in paragraphs.append(MarkdownText.singleLine(block)) }
                try output.add("[^\(Self.label(kind, id))]: " + paragraphs.joined(separator: " "))
            }
        }
    }

    private static func label(_ kind: String, _ id: String) -> String { kind == "endnote" ? "e" + id : id }

    /// Reads the paragraphs and tables in the element that was started last.
    private func readBlocks(_ xml: XMLPull, add: (String, Bool) throws -> Void) throws {
        try xml.children { element in
            switch element.name {
            case "p": try readParagraph(xml, add: add)
            case "tbl": try add(try readTable(xml).markdown, false)
            case "sdt", "sdtContent", "ins", "customXml", "smartTag", "moveTo", "AlternateContent", "Choice":
                try readBlocks(xml, add: add)
            case "altChunk": unread.append("an embedded document is not read")
            default: break
            }
        }
    }

    /// Returns the rows of the table that was started last.
    private func readTable(_ xml: XMLPull) throws -> TableRows {
        var table = TableRows(maximumBytes: limits.maximumTextBytes)
        try descend(xml, to: "tr") {
            var cells: [String] = []
            var bytes = 0
            try descend(xml, to: "tc") {
                var texts: [String] = []
                var span = 1
                try xml.children { element in
                    if element.name == "tcPr" {
                        try xml.children { property in
                            if property.name == "gridSpan" { span = Int(property["val"] ?? "") ?? 1 }
                        }
                    } else if element.name == "p" {
                        try readParagraph(xml) { block, _ in texts.append(block) }
                    } else if element.name == "tbl" {
                        texts += try readTable(xml).rows.map { $0.joined(separator: " ") }
                    } else if element.name == "sdt" {
                        try descend(xml, to: "sdtContent") {
                            try readBlocks(xml) { block, _ in texts.append(block) }
                        }
                    }
                }
                cells.append(texts.joined(separator: " "))
                cells += Array(repeating: "", count: min(max(span, 1), 64) - 1)
                bytes += texts.reduce(0) { $0 + $1.utf8.count }
                guard table.hasRoom(columns: cells.count, bytes: bytes) else {
                    throw MarkdownOutput.tooLong(limits.maximumTextBytes)
                }
            }
            guard table.append(cells) else { throw MarkdownOutput.tooLong(limits.maximumTextBytes) }
        }
        // Short rows are padded, and a cell can contain very many tables.
        remainingTableBytes -= table.size
        guard remainingTableBytes >= 0 else { throw MarkdownOutput.tooLong(limits.maximumTextBytes) }
        return table
    }

    /// Calls a closure for each child with a name, also within content controls.
    private func descend(_ xml: XMLPull, to name: String, _ body: () throws -> Void) throws {
        try xml.children { element in
            if element.name == name {
                try body()
            } else if ["sdt", "sdtContent", "ins", "customXml"].contains(element.name) {
                try descend(xml, to: name, body)
            }
        }
    }

    private func readParagraph(_ xml: XMLPull, add: (String, Bool) throws -> Void) throws {
        var paragraph = WordParagraph()
        // Text boxes are anchored in a paragraph. The paragraphs that they contain follow it.
        var boxes: [(String, Bool)] = []
        try readRuns(xml, &paragraph) { boxes.append(($0, $1)) }
        let text = MarkdownText.escaped(paragraph.text.trimmingCharacters(in: .whitespacesAndNewlines))
        if let level = paragraph.outlineLevel ?? styles.headingLevel(ofStyle: paragraph.style) {
            try add(MarkdownText.heading(ofPlainText: paragraph.text, level: level), false)
        } else if let reference = paragraph.list ?? styles.list(ofStyle: paragraph.style),
            let isNumbered = styles.isNumbered(reference), !text.isEmpty
        {
            try add(listItem(text, reference, isNumbered: isNumbered), true)
        } else {
            try add(text, false)
        }
        for id in paragraph.comments {
            // Each comment has one reference. A comment with many would become a very long text, in
            // particular if other comments refer to it.
            if let comment = comments.removeValue(forKey: id) { try add("%% \(comment) %%", false) }
        }
        for (block, isListItem) in boxes { try add(block, isListItem) }
    }

    private func listItem(_ text: String, _ reference: WordStyles.ListReference, isNumbered: Bool) -> String {
        let level = min(max(reference.level, 0), 8)
        for key in counters.keys where key.list == reference.list && key.level > level { counters[key] = nil }
        counters[reference, default: 0] += 1
        let mark = isNumbered ? "\(counters[reference, default: 1])." : "-"
        let indent = String(repeating: "    ", count: level)
        return indent + mark + " " + text.replacingOccurrences(of: "\n", with: "\n" + indent + "  ")
    }

    /// Reads the runs in the element that was started last.
    private func readRuns(
        _ xml: XMLPull, _ paragraph: inout WordParagraph, addBox: (String, Bool) throws -> Void
    ) throws {
        try xml.children { element in
            switch element.name {
            case "t": if !paragraph.isHiddenRun { paragraph.text += try xml.text() }
            case "r":
                try readRuns(xml, &paragraph, addBox: addBox)
                paragraph.isHiddenRun = false
            case "rPr":
                try xml.children { property in
                    guard property.name == "vanish" else { return }
                    paragraph.isHiddenRun = !["0", "false", "off"].contains(property["val"] ?? "1")
                }
            case "tab", "ptab": paragraph.text += "\t"
            case "br", "cr": paragraph.text += "\n"
            case "noBreakHyphen": paragraph.text += "-"
            case "pPr": try readProperties(xml, &paragraph)
            case "footnoteReference", "endnoteReference":
                let kind = String(element.name.dropLast("Reference".count))
                if let id = element["id"] { paragraph.text += "[^\(Self.label(kind, id))]" }
            case "commentReference": if let id = element["id"] { paragraph.comments.append(id) }
            case "hyperlink":
                let start = paragraph.text.utf8.count
                try readRuns(xml, &paragraph, addBox: addBox)
                addLink(element, text: paragraph.text.suffix(fromByte: start))
            case "f", "sSup", "sSub": paragraph.text += try formula(element.name, xml, addBox: addBox)
            case "txbxContent": try readBlocks(xml, add: addBox)
            // Skip the alternative for older programs, deleted text, and properties.
            case "Fallback", "del", "moveFrom", "instrText": break
            default: try readRuns(xml, &paragraph, addBox: addBox)
            }
        }
    }

    /// Returns the text of a fraction, a power or a subscript of Office Math: `1/2`, `x^2`, `x_1`.
    private func formula(
        _ name: String, _ xml: XMLPull, addBox: (String, Bool) throws -> Void
    ) throws -> String {
        var parts: [String] = []
        try xml.children { part in
            // The parts of a formula, but not its properties. VML has other elements with these names.
            guard ["num", "den", "e", "sup", "sub"].contains(part.name) else { return }
            var paragraph = WordParagraph()
            try readRuns(xml, &paragraph, addBox: addBox)
            let isSimple = paragraph.text.allSatisfy { $0.isLetter || $0.isNumber }
            parts.append(isSimple ? paragraph.text : "(\(paragraph.text))")
        }
        return parts.joined(separator: ["f": "/", "sSup": "^"][name] ?? "_")
    }

    private func addLink(_ element: XMLPull.Element, text: String) {
        let relationship = element["r:id"].flatMap { relationships.byID[$0] }
        guard relationship != nil || element["anchor"] != nil else { return }
        links.append(
            DocumentLink(
                kind: .address, target: relationship?.target ?? "", fragment: element["anchor"],
                text: text.isEmpty ? nil : text))
    }

    private func readProperties(_ xml: XMLPull, _ paragraph: inout WordParagraph) throws {
        var (list, level) = (String?.none, 0)
        try xml.descendants { element in
            let value = element["val"] ?? ""
            switch element.name {
            case "pStyle": paragraph.style = value
            case "outlineLvl": paragraph.outlineLevel = Int(value).flatMap { $0 < 6 ? $0 + 1 : nil }
            case "numId": list = value
            case "ilvl": level = Int(value) ?? 0
            default: break
            }
        }
        paragraph.list = list.map { WordStyles.ListReference(list: $0, level: level) }
    }
}
