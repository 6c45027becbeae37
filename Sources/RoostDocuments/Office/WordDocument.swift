import Foundation
import RoostModel

/// The conversion of a Word document (ECMA-376, WordprocessingML) to Markdown.
final class WordDocument {
    private let package: OfficePackage
    private let styles: WordStyles
    private var output: MarkdownOutput
    private var links: [DocumentLink] = []
    private var comments: [String: String] = [:]
    private var counters: [WordStyles.ListReference: Int] = [:]
    private var unread: [String] = []

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        package = try OfficePackage(archive, defaultPart: "word/document.xml")
        styles = try WordStyles(
            styles: try package.xml(ofType: "styles"), numbering: try package.xml(ofType: "numbering"))
        output = MarkdownOutput(limits: limits)
    }

    func document() throws -> Document {
        let xml = try package.mainPart()
        // Comments are written as hidden text after the paragraphs to which they belong.
        try readNotes("comment") { id, element, text in
            comments[id] = MarkdownOutput.hidden((element["author"].map { $0 + ": " } ?? "") + text)
        }
        try xml.children { _ in
            try xml.children { element in
                if element.name == "body" { try readBlocks(xml) { try output.add($0, isListItem: $1) } }
            }
        }
        try output.addDrawings(package.relationships, in: package.archive)
        for kind in ["footnote", "endnote"] {
            try readNotes(kind) { id, _, text in try output.add("[^\(Self.label(kind, id))]: " + text) }
        }
        if xml.isDamaged { unread.append("the text is damaged; a part of it may be missing") }
        var document = Document(text: output.text, links: links, unreadParts: unread)
        try package.properties().apply(to: &document)
        return document
    }

    /// Calls a closure with each comment, footnote or endnote.
    private func readNotes(
        _ kind: String, _ body: (_ id: String, XMLPull.Element, _ text: String) throws -> Void
    ) throws {
        guard let xml = try package.xml(ofType: kind + "s") else { return }
        try xml.children { _ in
            try xml.children { element in
                // Only the lines that separate notes from the text have a type.
                guard element.name == kind, let id = element["id"], element["type"] == nil else { return }
                var paragraphs: [String] = []
                try readBlocks(xml) { block, _ in paragraphs.append(MarkdownText.singleLine(block)) }
                try body(id, element, paragraphs.joined(separator: " "))
            }
        }
    }

    private static func label(_ kind: String, _ id: String) -> String { kind == "endnote" ? "e" + id : id }

    /// Reads the paragraphs and tables in the element that was started last.
    private func readBlocks(_ xml: XMLPull, add: (String, Bool) throws -> Void) throws {
        try xml.children { element in
            switch element.name {
            case "p": try readParagraph(xml, add: add)
            case "tbl":
                try add(try MarkdownText.table(readTable(xml), maximumBytes: output.remainingBytes), false)
            case "sdt", "sdtContent", "ins", "customXml", "smartTag", "moveTo", "AlternateContent", "Choice":
                try readBlocks(xml, add: add)
            case "altChunk": unread.append("an embedded document is not read")
            default: break
            }
        }
    }

    private func readTable(_ xml: XMLPull) throws -> [[String]] {
        var rows: [[String]] = []
        try descend(xml, to: "tr") {
            var cells: [String] = []
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
                        texts += try readTable(xml).map { $0.joined(separator: " ") }
                    } else if element.name == "sdt" {
                        try descend(xml, to: "sdtContent") {
                            try readBlocks(xml) { block, _ in texts.append(block) }
                        }
                    }
                }
                cells.append(texts.joined(separator: " "))
                cells += Array(repeating: "", count: min(max(span, 1), 64) - 1)
            }
            rows.append(cells)
        }
        return rows
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
            if let comment = comments.removeValue(forKey: id) { try add(comment, false) }
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
            case "txbxContent": try readBlocks(xml, add: addBox)
            // Skip the alternative for older programs, deleted text, and properties.
            case "Fallback", "del", "moveFrom", "instrText": break
            default: try readRuns(xml, &paragraph, addBox: addBox)
            }
        }
    }

    private func addLink(_ element: XMLPull.Element, text: String) {
        let relationship = element["r:id"].flatMap { package.relationships.byID[$0] }
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

struct WordParagraph {
    /// The text, with `\n` for line breaks within the paragraph.
    var text = ""
    var style = ""
    /// Whether the run that is read is formatted as hidden text, which is neither shown nor printed.
    var isHiddenRun = false
    /// The level of the heading that the paragraph states itself, from 1.
    var outlineLevel: Int?
    var list: WordStyles.ListReference?
    var comments: [String] = []
}

/// The styles and lists of a Word document, as far as they determine headings and list items.
struct WordStyles {
    private var names: [String: String] = [:]
    private var levels: [String: Int] = [:]
    private var parents: [String: String] = [:]
    private var lists: [String: ListReference] = [:]
    /// The number formats by abstract list and level.
    private var formats: [String: [Int: String]] = [:]
    private var abstractLists: [String: String] = [:]

    struct ListReference: Hashable {
        var list: String
        var level: Int
    }

    /// Reads the parts `styles` and `numbering`, each of which may be missing.
    init(styles: XMLPull?, numbering: XMLPull?) throws {
        if let styles { try readStyles(styles) }
        if let numbering { try readNumbering(numbering) }
    }

    private mutating func readStyles(_ xml: XMLPull) throws {
        var style = ""
        try xml.descendants { element in
            let value = element["val"] ?? ""
            switch element.name {
            case "style": style = element["w:styleId"] ?? element["styleId"] ?? ""
            case "name": names[style] = value.lowercased()
            case "basedOn": parents[style] = value
            case "outlineLvl": levels[style] = Int(value)
            case "numId": lists[style, default: ListReference(list: "", level: 0)].list = value
            case "ilvl": lists[style, default: ListReference(list: "", level: 0)].level = Int(value) ?? 0
            default: break
            }
        }
    }

    private mutating func readNumbering(_ xml: XMLPull) throws {
        var (abstract, list, level) = ("", "", 0)
        try xml.descendants { element in
            switch element.name {
            case "abstractNum": abstract = element["abstractNumId"] ?? ""
            case "lvl": level = element["ilvl"].flatMap { Int($0) } ?? 0
            case "numFmt": formats[abstract, default: [:]][level] = element["val"] ?? ""
            case "num":
                list = element["numId"] ?? ""
                abstract = ""
            case "abstractNumId": abstractLists[list] = element["val"] ?? ""
            default: break
            }
        }
    }

    /// Returns the level of the heading that a style defines, from 1; `nil` if it defines none.
    func headingLevel(ofStyle style: String) -> Int? {
        for style in ancestry(of: style) {
            if let level = levels[style] { return level < 6 ? level + 1 : nil }
            let name = names[style] ?? style.lowercased()
            if name == "title" { return 1 }
            if name.hasPrefix("heading"), let level = Int(name.dropFirst(7).drop { $0 == " " }) {
                return level
            }
        }
        return nil
    }

    /// Returns the list that a style defines and the level in it; `nil` if it defines none. A style can state
    /// only a level, such as the subtitle of Word's templates.
    func list(ofStyle style: String) -> ListReference? {
        ancestry(of: style).lazy.compactMap { lists[$0] }.first { !$0.list.isEmpty }
    }

    /// Returns whether the items of a list have numbers; `nil` if they have neither numbers nor bullets.
    func isNumbered(_ reference: ListReference) -> Bool? {
        guard reference.list != "0" else { return nil }
        guard let abstract = abstractLists[reference.list],
            let format = formats[abstract]?[reference.level]
        else { return false }
        return format == "none" ? nil : format != "bullet"
    }

    private func ancestry(of style: String) -> [String] {
        var styles = [style]
        // A damaged document may contain a cycle.
        while let parent = parents[styles[styles.count - 1]], styles.count < 20 { styles.append(parent) }
        return styles
    }
}
