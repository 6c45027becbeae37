/// Finds the comments of Obsidian: text between two `%%`, outside of code.
enum MarkdownComments {
    /// Returns the ranges of the comments, in order.
    ///
    /// A comment that begins within a line ends in the same paragraph. A comment whose first `%%` is the
    /// first text of its line can contain several blocks. Without a second `%%`, the first one is text.
    static func find(_ lines: MarkdownLines, from firstLine: Int, blocks: [MarkdownBlock]) -> [Range<Int>] {
        let bytes = lines.bytes
        let start = firstLine < lines.starts.count ? lines.starts[firstLine] : bytes.count
        guard hasMarker(bytes, from: start) else { return [] }
        var isCode = [Bool](repeating: false, count: lines.count)
        for block in blocks {
            guard block.kind == .code else { continue }
            for line in block.lines where line < lines.count { isCode[line] = true }
        }
        var comments: [Range<Int>] = []
        var opener: (offset: Int, isBlock: Bool)?
        for line in firstLine..<max(firstLine, lines.count) where !isCode[line] {
            let range = lines.contentRange(line..<line + 1)
            let content = lines.trimmedRange(line)
            if content.isEmpty, let open = opener, !open.isBlock { opener = nil }
            forEachMarker(bytes, in: range) { marker in
                if let open = opener {
                    comments.append(open.offset..<marker + 2)
                    opener = nil
                } else {
                    opener = (marker, marker == content.lowerBound)
                }
            }
        }
        return comments
    }

    private static func hasMarker(_ bytes: [UInt8], from start: Int) -> Bool {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), bytes[index + 1] == UInt8(ascii: "%") { return true }
            index += 1
        }
        return false
    }

    /// Calls `body` with the offset of each `%%` of a line outside of code spans and templates.
    private static func forEachMarker(_ bytes: [UInt8], in range: Range<Int>, _ body: (Int) -> Void) {
        var index = range.lowerBound
        var missing: Set<Int> = []
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "`") {
                index = InlineScanner.codeEnd(bytes, from: index, to: range.upperBound, &missing)
            } else if bytes[index] == UInt8(ascii: "%"), index + 1 < range.upperBound,
                bytes[index + 1] == UInt8(ascii: "%")
            {
                body(index)
                index += 2
            } else {
                index += 1
            }
        }
    }
}
