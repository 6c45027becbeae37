import Foundation
import RoostModel

/// The conversion of a presentation (ECMA-376, PresentationML) to Markdown, with one page for each slide.
final class PresentationDocument {
    private let package: OfficePackage
    private var output: MarkdownOutput
    private var links: [DocumentLink] = []
    private var unread: [String] = []

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        package = try OfficePackage(archive, defaultPart: "ppt/presentation.xml")
        output = MarkdownOutput(limits: limits)
    }

    func document() throws -> Document {
        let xml = try package.mainPart()
        var slides: [String] = []
        try xml.descendants { element in
            guard element.name == "sldId", let id = element["r:id"] else { return }
            if let slide = package.relationships.byID[id] { slides.append(slide.target) }
        }
        for (index, slide) in slides.enumerated() {
            if index > 0 { output.endPage() }
            try readSlide(slide, number: index + 1)
        }
        var document = Document(
            text: output.text, links: links, location: EntryLocation(page: 1), unreadParts: unread
        )
        document.metadata["pages"] = .integer(Int64(slides.count))
        try package.properties().apply(to: &document)
        return document
    }

    private func readSlide(_ part: String, number: Int) throws {
        guard let xml = try package.archive.xml(part) else {
            unread.append("slide \(number): its part is missing")
            return
        }
        let relationships = try Relationships(of: part, in: package.archive)
        var shapes: [PresentationShape] = []
        try readShapes(xml, relationships, &shapes)
        if let index = shapes.firstIndex(where: { $0.isTitle && !$0.paragraphs.isEmpty }) {
            let text = shapes.remove(at: index).paragraphs.map(\.text).joined(separator: " ")
            try output.add(MarkdownText.heading(ofPlainText: text, level: 2))
        }
        for shape in shapes { try add(shape) }
        try output.addDrawings(relationships, in: package.archive)
        for comments in relationships.targets(ofType: "comments") { try readComments(comments) }
        for notes in relationships.targets(ofType: "notesSlide") { try readNotes(notes) }
        if xml.isDamaged { unread.append("slide \(number): it is damaged; a part of it may be missing") }
    }

    private func add(_ shape: PresentationShape) throws {
        if let table = shape.table { try output.add(table) }
        for paragraph in shape.paragraphs {
            let text = MarkdownText.escaped(paragraph.text)
            if shape.isBody {
                let indent = String(repeating: "    ", count: min(max(paragraph.level, 0), 8))
                try output.add(indent + "- " + text, isListItem: true)
            } else {
                try output.add(text)
            }
        }
    }

    /// Reads the comments on a slide, which are written as hidden text.
    private func readComments(_ part: String) throws {
        guard let xml = try package.archive.xml(part) else { return }
        try xml.descendants { element in
            guard element.name == "cm" else { return }
            var paragraphs: [String] = []
            try xml.descendants { text in
                if text.name == "text" || text.name == "t" { paragraphs.append(try xml.text()) }
            }
            let text = MarkdownText.singleLine(paragraphs.joined(separator: " "))
            guard !text.isEmpty else { return }
            try output.add(MarkdownOutput.hidden(text))
        }
    }

    private func readNotes(_ part: String) throws {
        guard let xml = try package.archive.xml(part) else { return }
        var shapes: [PresentationShape] = []
        try readShapes(xml, try Relationships(of: part, in: package.archive), &shapes)
        let texts = shapes.filter { $0.isBody && $0.isPlaceholder }.flatMap(\.paragraphs).map(\.text)
        guard !texts.isEmpty else { return }
        try output.add("Notes: " + MarkdownText.escaped(texts.joined(separator: "\n\n")))
    }

    /// Reads the shapes in the element that was started last, also within groups.
    private func readShapes(
        _ xml: XMLPull, _ relationships: Relationships, _ shapes: inout [PresentationShape]
    ) throws {
        try xml.children { element in
            switch element.name {
            case "sp", "cxnSp":
                shapes.append(PresentationShape())
                try readShape(xml, relationships, &shapes[shapes.count - 1])
            case "tbl":
                shapes.append(PresentationShape(table: try readTable(xml, relationships)))
            case "Fallback": break
            default: try readShapes(xml, relationships, &shapes)
            }
        }
    }

    private func readShape(
        _ xml: XMLPull, _ relationships: Relationships, _ shape: inout PresentationShape
    ) throws {
        try xml.children { element in
            switch element.name {
            case "ph":
                shape.isPlaceholder = true
                let type = element["type"] ?? "body"
                shape.isTitle = type == "title" || type == "ctrTitle"
                shape.isBody = type == "body" || type == "obj"
                shape.isHidden = ["sldNum", "dt", "ftr", "hdr"].contains(type)
            case "p":
                let paragraph = try readParagraph(xml, relationships)
                if !shape.isHidden && !paragraph.text.isEmpty { shape.paragraphs.append(paragraph) }
            default: try readShape(xml, relationships, &shape)
            }
        }
    }

    private func readTable(_ xml: XMLPull, _ relationships: Relationships) throws -> String {
        var rows: [[String]] = []
        try xml.children { row in
            guard row.name == "tr" else { return }
            var cells: [String] = []
            try xml.children { cell in
                guard cell.name == "tc" else { return }
                var shape = PresentationShape()
                try readShape(xml, relationships, &shape)
                cells.append(shape.paragraphs.map(\.text).joined(separator: " "))
            }
            rows.append(cells)
        }
        return try MarkdownText.table(rows, maximumBytes: output.remainingBytes)
    }

    private func readParagraph(
        _ xml: XMLPull, _ relationships: Relationships
    ) throws -> PresentationShape.Paragraph {
        var paragraph = PresentationShape.Paragraph(text: "", level: 0)
        try readRuns(xml, relationships, &paragraph)
        paragraph.text = paragraph.text.trimmingCharacters(in: .whitespacesAndNewlines)
        return paragraph
    }

    private func readRuns(
        _ xml: XMLPull, _ relationships: Relationships, _ paragraph: inout PresentationShape.Paragraph
    ) throws {
        try xml.children { element in
            switch element.name {
            case "t": paragraph.text += try xml.text()
            case "br": paragraph.text += "\n"
            case "pPr": paragraph.level = element["lvl"].flatMap { Int($0) } ?? 0
            case "hlinkClick":
                if let id = element["r:id"], let link = relationships.byID[id], link.isExternal {
                    links.append(DocumentLink(kind: .address, target: link.target))
                }
            default: try readRuns(xml, relationships, &paragraph)
            }
        }
    }
}

struct PresentationShape {
    struct Paragraph {
        var text: String
        var level: Int
    }

    var paragraphs: [Paragraph] = []
    var table: String?
    var isPlaceholder = false
    var isTitle = false
    /// Whether the shape contains the main text of the slide, which is a list.
    var isBody = false
    /// Whether the shape contains the number, date, header or footer of the slide.
    var isHidden = false
}
