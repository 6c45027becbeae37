import Foundation

/// A Markdown text that a reader writes block by block, with a maximum length.
struct MarkdownOutput {
    private(set) var text = ""
    var remainingBytes: Int { max(maximumBytes - text.utf8.count, 0) }

    private let maximumBytes: Int
    private var endsWithListItem = false

    init(limits: DocumentLimits) { maximumBytes = limits.maximumTextBytes }

    /// Appends a block after an empty line. Blocks without text are ignored.
    mutating func add(_ block: String, isListItem: Bool = false) throws {
        guard block.utf8.contains(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 }) else { return }
        guard text.utf8.count + block.utf8.count <= maximumBytes else { throw Self.tooLong(maximumBytes) }
        if !text.isEmpty { text += isListItem && endsWithListItem ? "\n" : "\n\n" }
        text += block
        endsWithListItem = isListItem
    }

    /// Returns the error for a text that exceeds a number of bytes.
    static func tooLong(_ maximumBytes: Int) -> DocumentError {
        .limitExceeded("its text exceeds \(maximumBytes) bytes")
    }

    mutating func endBlock() { endsWithListItem = false }

    mutating func endPage() {
        text += "\n\n\u{C}"
        endsWithListItem = false
    }
}

/// Functions for readers that produce Markdown from other formats.
enum MarkdownText {
    /// Returns a paragraph with a backslash before characters that would begin a heading, a quotation, a
    /// fence, a comment or a link to a note.
    ///
    /// Only constructs that change the structure of the text are escaped; emphasis is not, so that words
    /// remain unchanged.
    static func escaped(_ paragraph: String) -> String {
        paragraph.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { escapedLine(Substring($0)) }.joined(separator: "\n")
    }

    private static func escapedLine(_ line: Substring) -> String {
        let text = line.drop { $0 == " " || $0 == "\t" }
        var escaped = String(text)
        if escaped.contains("<!--") { escaped = escaped.replacingOccurrences(of: "<!--", with: "\\<!--") }
        if escaped.contains("%%") { escaped = escaped.replacingOccurrences(of: "%%", with: "\\%%") }
        escaped = withoutWikiLinks(escaped)
        guard let first = text.first else { return escaped }
        let isRule = "-=+".contains(first) && text.allSatisfy { $0 == first || $0 == " " }
        if isRule || first == "#" || first == ">" || text.hasPrefix("```") || text.hasPrefix("~~~") {
            return "\\" + escaped
        }
        return escaped
    }

    /// Returns a text with a backslash before each bracket that another one follows, because `[[` begins a
    /// link to a note. A bracket that has a backslash already needs no other one.
    static func withoutWikiLinks(_ text: String) -> String {
        guard text.contains("[[") else { return text }
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 2)
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            let isBracket = byte == UInt8(ascii: "[")
            if isBracket, !isEscaped, index + 1 < bytes.count, bytes[index + 1] == byte {
                output.append(UInt8(ascii: "\\"))
            }
            output.append(byte)
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns whether a line begins an item of a list: with a bullet, or with a number or a letter and a
    /// full stop or parenthesis.
    static func beginsListItem(_ line: String) -> Bool {
        guard let first = line.first else { return false }
        let rest = line.dropFirst()
        if "•‣◦▪●○–*-\u{F0B7}".contains(first) { return rest.first?.isWhitespace ?? false }
        let head = line.prefix { $0 != " " }
        guard head.count <= 5, let end = head.last, ".)".contains(end), line.count > head.count else {
            return false
        }
        let number = head.dropLast().drop { $0 == "(" }
        return !number.isEmpty && (number.allSatisfy(\.isNumber) || (number.count == 1 && first.isLetter))
    }

    static func heading(_ text: String, level: Int) -> String {
        let line = singleLine(text)
        return line.isEmpty ? "" : String(repeating: "#", count: min(max(level, 1), 6)) + " " + line
    }

    static func heading(ofPlainText text: String, level: Int) -> String {
        heading(withoutWikiLinks(text), level: level)
    }

    static func singleLine(_ text: String) -> String {
        text.unicodeScalars.split { $0.properties.isWhitespace }.map(String.init).joined(separator: " ")
    }

    /// Returns a table of texts that are not Markdown, with `|` between cells. The first row is the header.
    /// Returns an empty text if no cell has text, as in a table that only arranges pictures.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if it has more than a number of bytes: the cells of a small file can
    ///   refer to one long text, or need very many empty cells next to them.
    static func table(_ rows: [[String]], maximumBytes: Int) throws(DocumentError) -> String {
        let width = rows.map(\.count).max() ?? 0
        guard rows.contains(where: { $0.contains { !$0.allSatisfy(\.isWhitespace) } }) else { return "" }
        // Without an array of the lines, which would need as much memory again.
        var table = ""
        for (index, row) in rows.enumerated() {
            if index > 0 { table += "\n" }
            table += "|"
            for cell in row {
                table += " "
                table += withoutWikiLinks(singleLine(cell)).replacingOccurrences(of: "|", with: "\\|")
                table += " |"
                guard table.utf8.count + 3 * width <= maximumBytes else {
                    throw MarkdownOutput.tooLong(maximumBytes)
                }
            }
            table += String(repeating: "  |", count: width - row.count)
            if index == 0 { table += "\n|" + String(repeating: " --- |", count: width) }
        }
        return table
    }

    /// Returns a fenced block of code. The fence is longer than any in the code.
    static func fence(_ code: String, language: String) -> String {
        var longest = 2
        var run = 0
        for byte in code.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        return fence + language + "\n" + code + (code.hasSuffix("\n") ? "" : "\n") + fence
    }
}

extension String {
    /// Returns the text from an offset in UTF-8 bytes to the end; empty if the text is shorter.
    func suffix(fromByte offset: Int) -> String {
        guard offset < utf8.count else { return "" }
        return String(decoding: utf8[utf8.index(utf8.startIndex, offsetBy: offset)...], as: UTF8.self)
    }
}
