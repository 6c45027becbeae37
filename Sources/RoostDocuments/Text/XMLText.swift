import Foundation

/// Writes an XML document as readable text: `name: text` for elements that contain only short text, and a
/// paragraph for each other element with text. The texts of attributes precede those of their element.
final class XMLText {
    /// The text.
    private(set) var output: MarkdownOutput
    /// The text of the first element with the name `title`, or that of this attribute of the document.
    private(set) var title: String?
    /// Whether the document is not well-formed.
    var isDamaged: Bool { xml.isDamaged }

    private let xml: XMLPull
    /// The maximum number of characters of a value that is written with its name.
    private static let maximumValueLength = 60
    /// The number of bytes after which a paragraph ends, at the end of a part of its text. It bounds the
    /// memory, because several copies of a paragraph exist at the same time.
    private static let maximumParagraphLength = 1 << 20

    init(_ xml: XMLPull, limits: DocumentLimits) {
        self.xml = xml
        output = MarkdownOutput(limits: limits)
    }

    /// Converts the document.
    func convert() throws { try xml.children { try read($0) } }

    private func read(_ element: XMLPull.Element) throws {
        for (name, text) in XMLAttributes.texts(of: element) {
            if text.count <= Self.maximumValueLength {
                try output.add("- \(name): \(text)", isListItem: true)
            } else {
                try output.add(MarkdownText.escaped(text))
            }
        }
        if xml.depth == 1, title == nil, let text = element["title"].map(MarkdownText.singleLine) {
            title = text.isEmpty ? nil : text
        }
        var text = ""
        var (hasChildren, isParagraph) = (false, false)
        func append(_ part: String) throws {
            text += part
            guard text.utf8.count > Self.maximumParagraphLength else { return }
            (hasChildren, isParagraph) = (true, true)
            try output.add(MarkdownText.escaped(MarkdownText.singleLine(text)))
            text = ""
        }
        try xml.children(
            { child in
                // Text around a child makes the child a part of the paragraph.
                if isParagraph || text.contains(where: { !$0.isWhitespace }) {
                    try xml.forEachText(append)
                } else {
                    hasChildren = true
                    text = ""
                    try read(child)
                }
            }, text: append)
        let line = MarkdownText.singleLine(text)
        guard !line.isEmpty else { return }
        if element.name.lowercased() == "title" {
            if title == nil { title = line }
            try output.add(MarkdownText.heading(ofPlainText: line, level: 2))
        } else if !hasChildren && line.count <= Self.maximumValueLength {
            try output.add("- \(element.name): \(line)", isListItem: true)
        } else {
            try output.add(MarkdownText.escaped(line))
        }
    }
}
