import CCommonMark

/// A leaf block of a Markdown text, such as a paragraph or a heading.
struct MarkdownBlock: Equatable {
    enum Kind: Equatable {
        /// A heading with its level, from 1 to 6.
        case heading(Int)
        /// A paragraph. Definitions of link references are paragraphs, too.
        case paragraph
        case code
        case html
        /// A table. Its rows follow as separate blocks.
        case table
        case tableRow
        case thematicBreak
    }

    var kind: Kind
    var lines: Range<Int>
    var isTopLevel: Bool
    var isFirstInItem = false
}

/// Finds the blocks of a Markdown text by cmark-gfm.
///
/// cmark parses a simplified copy of the text, because only the structure of the blocks is required: long
/// lines are shortened, and characters that only matter within paragraphs are replaced. This keeps the memory
/// small, and the time linear: cmark needs quadratic time for some malicious sequences of inline markup.
enum MarkdownBlockParser {
    /// The maximum number of bytes of a line that determine its block.
    private static let maximumLineLength = 1024
    /// The maximum number of block quotes and lists that may begin on a line.
    private static let maximumDepth = 64
    /// The estimated number of nodes after which a new document begins at any line. It bounds the memory: a
    /// row of a table has a node for each column, even if the row has fewer cells. Ordinary texts have fewer.
    private static let maximumNodes = 1 << 18
    /// The maximum number of lines of hyphens and bars in one paragraph that can begin a table. At each of
    /// them, cmark reads the paragraph from its beginning.
    private static let maximumDelimiters = 16

    private static let registration: Void = cmark_gfm_core_extensions_ensure_registered()

    /// Returns the blocks of some lines, in order.
    static func blocks(
        _ lines: MarkdownLines, from first: Int, comments: [Range<Int>] = []
    ) -> [MarkdownBlock] {
        _ = registration
        var blocks: [MarkdownBlock] = []
        var simplified: [UInt8] = []
        var (start, comment) = (first, 0)
        var (nodes, columns, delimiters) = (0, 0, 0)
        for line in first..<max(first, lines.count) {
            if nodes >= maximumNodes {
                parse(simplified, firstLine: start, into: &blocks)
                simplified.removeAll(keepingCapacity: true)
                (start, nodes, columns, delimiters) = (line, 0, 0, 0)
            }
            while comment < comments.count, comments[comment].upperBound <= lines.starts[line] {
                comment += 1
            }
            let offset = simplified.count
            let depth = append(line, of: lines, comments: comments[comment...], to: &simplified)
            columns = Self.columns(of: simplified[offset...], after: columns)
            if endsParagraph(simplified[offset...]) {
                delimiters = 0
            } else if beginsTable(simplified[offset...]) {
                delimiters += 1
                if delimiters > maximumDelimiters { hideDelimiter(in: &simplified, from: offset) }
            }
            // A list has a node for itself and one for its item, and a line one for its block and its text.
            nodes += 2 * depth + columns + 2
        }
        parse(simplified, firstLine: start, into: &blocks)
        removeOverlaps(&blocks)
        return blocks
    }

    /// Ends each block before the next one. The end line that cmark reports for an underlined heading is the
    /// line after its end.
    private static func removeOverlaps(_ blocks: inout [MarkdownBlock]) {
        for index in blocks.indices.dropLast() where blocks[index].kind != .table {
            let lines = blocks[index].lines
            let next = blocks[index + 1].lines.lowerBound
            if lines.upperBound > next {
                blocks[index].lines = lines.lowerBound..<max(lines.lowerBound + 1, next)
            }
        }
    }

    // MARK: The simplified text

    /// Returns the number of columns of the table that contains a line: that of a line of hyphens and bars,
    /// or of the previous line; 0 after an empty line.
    private static func columns(of line: ArraySlice<UInt8>, after previous: Int) -> Int {
        guard line.contains(where: { !$0.isMarkdownSpace }) else { return 0 }
        return isDelimiter(line) ? line.count { $0 == UInt8(ascii: "|") } + 1 : previous
    }

    private static func isDelimiter(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy {
            $0.isMarkdownSpace || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "|")
                || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ">")
        }
    }

    /// Returns whether a line ends each paragraph before it: an empty line, or an item of a list that is not
    /// indented deeply.
    private static func endsParagraph(_ line: ArraySlice<UInt8>) -> Bool {
        let content = line.drop { $0 == 32 }
        if let first = content.first, isBullet(first), content.startIndex - line.startIndex < 4 {
            let text = content.dropFirst()
            return text.first == 32 && text.contains { !$0.isMarkdownSpace }
        }
        return content.allSatisfy { $0.isMarkdownSpace || $0 == UInt8(ascii: ">") }
    }

    /// Returns whether cmark may begin a table at a line. Without bars and colons, it underlines a heading.
    private static func beginsTable(_ line: ArraySlice<UInt8>) -> Bool {
        isDelimiter(line) && line.contains { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ":") }
    }

    /// Replaces the hyphens of a line, which then begins no table. In a table, it remains a row.
    private static func hideDelimiter(in text: inout [UInt8], from offset: Int) {
        for index in offset..<text.count where text[index] == UInt8(ascii: "-") {
            text[index] = UInt8(ascii: "x")
        }
    }

    /// Appends a line with the characters that determine the structure of the blocks, and returns the number
    /// of block quotes and lists that begin on it.
    private static func append(
        _ line: Int, of lines: MarkdownLines, comments: ArraySlice<Range<Int>>, to result: inout [UInt8]
    ) -> Int {
        let range = lines.contentRange(line..<line + 1)
        let upper = min(range.upperBound, range.lowerBound + maximumLineLength)
        var isPrefix = true
        var (keepsBackquotes, keepsAll, depth, backquotes) = (false, false, 0, 0)
        var comment = comments.startIndex
        var index = range.lowerBound
        if index == 0, lines.bytes.matches("\u{FEFF}", at: 0) { index = 3 }
        while index < upper {
            let byte = lines.bytes[index]
            while comment < comments.endIndex, comments[comment].upperBound <= index { comment += 1 }
            let isComment = comment < comments.endIndex && comments[comment].contains(index)
            defer { index += 1 }
            // Columns do not matter, and spaces instead of the comment could form an indented code block.
            if isComment { continue }
            if isPrefix {
                let next = index + 1 < upper ? lines.bytes[index + 1] : 32
                if byte == UInt8(ascii: ">") || ("-+*.)".utf8.contains(byte) && next == 32) { depth += 1 }
                backquotes = byte == UInt8(ascii: "`") ? backquotes + 1 : 0
                keepsBackquotes = keepsBackquotes || backquotes >= 3
                keepsAll = keepsAll || byte == UInt8(ascii: "<")
                isPrefix = isMarkup(byte) && depth <= maximumDepth
            }
            result.append(
                isPrefix || keepsAll && byte < 0x80
                    ? byte
                    : replacement(byte, next: index + 1 < upper ? lines.bytes[index + 1] : 0, keepsBackquotes)
            )
        }
        result.append(0x0A)
        return depth
    }

    private static func isBullet(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "*")
    }

    private static func isMarkup(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || " \t>-+*_=#~`<|:.)".utf8.contains(byte)
    }

    /// Returns the character that replaces one within a line.
    private static func replacement(_ byte: UInt8, next: UInt8, _ keepsBackquotes: Bool) -> UInt8 {
        switch byte {
        case UInt8(ascii: "`"): keepsBackquotes ? byte : UInt8(ascii: "x")
        case UInt8(ascii: "\\"): next == UInt8(ascii: "|") ? byte : UInt8(ascii: "x")
        case UInt8(ascii: "<"): next == UInt8(ascii: "/") ? byte : UInt8(ascii: "x")
        case UInt8(ascii: "["), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "&"), 0, 0x80...:
            UInt8(ascii: "x")
        default: byte
        }
    }

    // MARK: cmark

    private static func parse(_ text: [UInt8], firstLine: Int, into blocks: inout [MarkdownBlock]) {
        guard !text.isEmpty, let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else { return }
        defer { cmark_parser_free(parser) }
        if let table = cmark_find_syntax_extension("table") {
            cmark_parser_attach_syntax_extension(parser, table)
        }
        text.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            cmark_parser_feed(parser, start, buffer.count)
        }
        guard let root = cmark_parser_finish(parser) else { return }
        defer { cmark_node_free(root) }
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return }
            guard event == CMARK_EVENT_ENTER, let node = cmark_iter_get_node(iterator) else { continue }
            if let block = block(node, root: root, firstLine: firstLine) { blocks.append(block) }
        }
    }

    /// Returns a block; `nil` for containers and for the contents of blocks.
    private static func block(
        _ node: OpaquePointer, root: OpaquePointer, firstLine: Int
    ) -> MarkdownBlock? {
        let type = cmark_node_get_type(node)
        guard type.rawValue & 0xC000 == 0x8000, let kind = kind(node, type) else { return nil }
        let parent = cmark_node_parent(node)
        let isTopLevel = parent == root || (kind == .tableRow && cmark_node_parent(parent) == root)
        let isFirst =
            cmark_node_previous(node) == nil && parent.map { cmark_node_get_type($0) } == CMARK_NODE_ITEM
        let start = firstLine + max(1, Int(cmark_node_get_start_line(node))) - 1
        var end = firstLine + max(0, Int(cmark_node_get_end_line(node)))
        if kind == .html, let literal = cmark_node_get_literal(node) {
            // The range that cmark reports omits the line that ends a comment or script.
            end = start + lineCount(literal)
        }
        return MarkdownBlock(
            kind: kind, lines: start..<max(start + 1, end), isTopLevel: isTopLevel, isFirstInItem: isFirst)
    }

    private static func kind(
        _ node: OpaquePointer, _ type: cmark_node_type
    ) -> MarkdownBlock.Kind? {
        switch type {
        case CMARK_NODE_HEADING: return .heading(Int(cmark_node_get_heading_level(node)))
        case CMARK_NODE_PARAGRAPH: return .paragraph
        case CMARK_NODE_CODE_BLOCK: return .code
        case CMARK_NODE_HTML_BLOCK: return .html
        case CMARK_NODE_THEMATIC_BREAK: return .thematicBreak
        case CMARK_NODE_DOCUMENT, CMARK_NODE_BLOCK_QUOTE, CMARK_NODE_LIST, CMARK_NODE_ITEM: return nil
        default:
            // Extensions register their types at run time.
            let name = String(cString: cmark_node_get_type_string(node))
            return name == "table" ? .table : name == "table_row" || name == "table_header" ? .tableRow : nil
        }
    }

    private static func lineCount(_ text: UnsafePointer<CChar>) -> Int {
        var (count, pointer) = (0, text)
        while pointer.pointee != 0 {
            if pointer.pointee == 0x0A { count += 1 }
            pointer += 1
        }
        return count
    }
}
