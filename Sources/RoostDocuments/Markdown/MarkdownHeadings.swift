import CCommonMark
import Foundation

/// Finds the title of a Markdown note whose front matter has none.
enum MarkdownTitle {
    /// Returns the title of a note: the first heading of level 1, a heading of another level at the
    /// beginning, the name of the file, or else the first heading.
    ///
    /// A heading of another level in the middle of a note, such as "Tasks", names only a part of it.
    static func title(of analysis: MarkdownAnalysis, _ input: DocumentInput?) -> String? {
        if let heading = analysis.headings.first(where: { $0.level == 1 }) { return heading.text }
        return title(atBeginningOf: analysis) ?? name(of: input, analysis) ?? analysis.headings.first?.text
    }

    /// Returns the text of the first heading if only white space and front matter come before it.
    static func title(atBeginningOf analysis: MarkdownAnalysis) -> String? {
        guard let heading = analysis.headings.first else { return nil }
        let start = analysis.lines.starts[analysis.frontMatter?.lineCount ?? 0]
        let isFirst = heading.start <= start || analysis.lines.bytes.trimmed(start..<heading.start).isEmpty
        return isFirst ? heading.text : nil
    }

    /// Returns the name of a file without its extension; `nil` for an empty note. The last component of a URL
    /// is not the name of a note.
    private static func name(of input: DocumentInput?, _ analysis: MarkdownAnalysis) -> String? {
        guard let input, !input.path.contains("://"), let stem = input.fileStem?.trimmed,
            !analysis.lines.bytes.allSatisfy(\.isMarkdownSpace)
        else { return nil }
        // The file system of macOS can return names with decomposed letters.
        return stem.precomposedStringWithCanonicalMapping
    }
}

enum HeadingText {
    /// Returns the text of a heading without hidden parts and markup, in one line.
    static func text(_ range: Range<Int>, of scanner: InlineScanner) -> String {
        var content = scanner.bytes.trimmed(Self.content(range, scanner.bytes))
        if content.count > 4 * MarkdownAnalysis.maximumHeadingLength {
            content = content.lowerBound..<content.lowerBound + 4 * MarkdownAnalysis.maximumHeadingLength
        }
        // Hidden parts of the heading were added last.
        let hidden = scanner.hiddenParts.reversed().prefix(200)
            .filter { $0.range.overlaps(content) }.map(\.range)
        var visible: [UInt8] = []
        for index in content where !hidden.contains(where: { $0.contains(index) }) {
            visible.append(scanner.bytes[index])
        }
        let plain = plainText(visible).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return prefix(of: plain, maximumLength: MarkdownAnalysis.maximumHeadingLength)
    }

    /// Returns the longest prefix of a text, in whole characters, that does not exceed a number of UTF-8
    /// bytes.
    static func prefix(of text: String, maximumLength: Int) -> String {
        guard text.utf8.count > maximumLength else { return text }
        var length = 0
        return String(
            text.prefix { character in
                length += character.utf8.count
                return length <= maximumLength
            })
    }

    /// Returns the range of a heading's content without number signs and underlines.
    private static func content(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
        var content = bytes.trimmed(range)
        if content.lowerBound < content.upperBound, bytes.matches("\u{FEFF}", at: content.lowerBound) {
            content = content.lowerBound + 3..<content.upperBound
        }
        guard let first = content.first, bytes[first] == UInt8(ascii: "#") else {
            let lineBreak = bytes[content].lastIndex { $0 == 0x0A || $0 == 0x0D } ?? content.upperBound
            return content.lowerBound..<lineBreak
        }
        let start = bytes[content].firstIndex { $0 != UInt8(ascii: "#") } ?? content.upperBound
        var end = content.upperBound
        while end > start, bytes[end - 1] == UInt8(ascii: "#") { end -= 1 }
        let hasClosing = end == start || bytes[end - 1].isMarkdownSpace
        return start..<(hasClosing ? end : content.upperBound)
    }

    /// Returns the text of inline Markdown without emphasis, entities and escapes.
    private static func plainText(_ bytes: [UInt8]) -> String {
        let isPlain = !bytes.contains { $0.isASCIIPunctuation }
        guard !isPlain, !bytes.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
        // A letter before the text ensures that it is a paragraph.
        let text = [UInt8(ascii: "x"), 32] + bytes.map { $0 == 0x0A || $0 == 0x0D ? 32 : $0 }
        let root = text.withUnsafeBytes { buffer in
            cmark_parse_document(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, CMARK_OPT_DEFAULT)
        }
        guard let root, let iterator = cmark_iter_new(root) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        defer {
            cmark_iter_free(iterator)
            cmark_node_free(root)
        }
        var result = ""
        while true {
            let event = cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { break }
            guard event == CMARK_EVENT_ENTER, let node = cmark_iter_get_node(iterator) else { continue }
            switch cmark_node_get_type(node) {
            case CMARK_NODE_TEXT, CMARK_NODE_CODE, CMARK_NODE_HTML_INLINE:
                if let literal = cmark_node_get_literal(node) { result += String(cString: literal) }
            case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK: result += " "
            default: break
            }
        }
        let plain = result.hasPrefix("x ") ? String(result.dropFirst(2)) : result
        return plain.replacing("~~", with: "").replacing("==", with: "")
    }
}
