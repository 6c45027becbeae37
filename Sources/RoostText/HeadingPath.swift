/// Finds the headings above a position in a Markdown text.
package enum HeadingPath {
    /// The maximum number of bytes of a heading. A longer line is a paragraph that begins with a number sign.
    private static let maximumLength = 300

    /// A heading with its level, from 1.
    private struct Heading {
        var level: Int
        var text: String
    }

    /// Returns the headings above a byte, the outermost first: for each level the last heading before the
    /// byte, unless a heading of a higher level follows it.
    ///
    /// Lines in fenced code blocks and in front matter are not headings.
    ///
    /// - Parameters:
    ///   - byte: The UTF-8 offset of the position. A heading that contains it counts.
    ///   - content: The text.
    /// - Complexity: O(byte).
    package static func headings(above byte: Int, in content: String) -> [String] {
        var open: [Heading] = []
        forEachHeading(in: content, upTo: byte) { insert($0, into: &open) }
        return open.map(\.text)
    }

    /// Returns the headings of a text, in order.
    ///
    /// - Complexity: O(length of text).
    package static func allHeadings(in content: String) -> [String] {
        var headings: [String] = []
        forEachHeading(in: content, upTo: content.utf8.count) { headings.append($0.text) }
        return headings
    }

    /// Calls `body` for each heading that begins at or before a byte.
    private static func forEachHeading(
        in content: String, upTo byte: Int, _ body: (Heading) -> Void
    ) {
        var content = content
        content.withUTF8 { utf8 in
            var start = frontMatterEnd(utf8)
            var fence: UInt8?
            var paragraph: Range<Int>?
            while start <= byte, start < utf8.count {
                let end = utf8[start...].firstIndex(of: UInt8(ascii: "\n")) ?? utf8.count
                let line = trimmed(start..<end, utf8)
                defer { start = end + 1 }
                if let mark = codeFence(line, utf8) {
                    if fence == nil { fence = mark } else if fence == mark { fence = nil }
                    paragraph = nil
                    continue
                }
                guard fence == nil, !line.isEmpty else {
                    paragraph = nil
                    continue
                }
                if let heading = marked(line, utf8) {
                    body(heading)
                    paragraph = nil
                } else if let above = paragraph, let level = underline(line, utf8) {
                    body(Heading(level: level, text: text(above, utf8)))
                    paragraph = nil
                } else {
                    paragraph = line.count <= maximumLength ? line : nil
                }
            }
        }
    }

    private static func insert(_ heading: Heading, into open: inout [Heading]) {
        guard !heading.text.isEmpty else { return }
        while let last = open.last, last.level >= heading.level { open.removeLast() }
        open.append(heading)
    }

    /// Returns a heading that begins with one to six number signs.
    private static func marked(_ line: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>) -> Heading? {
        let level = utf8[line].prefix { $0 == UInt8(ascii: "#") }.count
        guard (1...6).contains(level), line.count > level, isSpace(utf8[line.lowerBound + level]),
            line.count <= maximumLength
        else { return nil }
        var rest = trimmed(line.lowerBound + level..<line.upperBound, utf8)
        while let last = rest.last, utf8[last] == UInt8(ascii: "#") { rest = rest.dropLast() }
        return Heading(level: level, text: text(trimmed(rest, utf8), utf8))
    }

    /// Returns the level of the heading that a line of `=` or `-` underlines.
    private static func underline(_ line: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>) -> Int? {
        guard line.count >= 2 else { return nil }
        if utf8[line].allSatisfy({ $0 == UInt8(ascii: "=") }) { return 1 }
        return utf8[line].allSatisfy { $0 == UInt8(ascii: "-") } ? 2 : nil
    }

    private static func codeFence(_ line: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>) -> UInt8? {
        guard let first = line.first.map({ utf8[$0] }),
            first == UInt8(ascii: "`") || first == UInt8(ascii: "~")
        else { return nil }
        return utf8[line].prefix { $0 == first }.count >= 3 ? first : nil
    }

    /// Returns the UTF-8 offset at which the text after the front matter begins; 0 if there is no front
    /// matter.
    package static func bodyStart(of content: String) -> Int {
        var content = content
        return content.withUTF8(frontMatterEnd)
    }

    /// Returns the offset at which the text after the front matter begins, like ``bodyStart(of:)``.
    static func bodyStart(of utf8: UnsafeBufferPointer<UInt8>) -> Int { frontMatterEnd(utf8) }

    /// The number of bytes in which front matter must end, as in ``TextTitle``.
    private static let maximumFrontMatter = 8000

    /// Returns the offset after the front matter: lines between two fences at the beginning of the text, at
    /// least one of which has a key. 0 if there is no front matter.
    private static func frontMatterEnd(_ utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let limit = min(utf8.count, maximumFrontMatter)
        var (start, hasKey) = (0, false)
        while start < limit {
            let end = utf8[start..<limit].firstIndex(of: UInt8(ascii: "\n")) ?? limit
            let line = trimmed(start..<end, utf8)
            let isFence = isFrontMatterFence(line, utf8)
            if start == 0 {
                guard isFence else { return 0 }
            } else if isFence {
                return hasKey ? end : 0
            } else if utf8[line].contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) {
                hasKey = true
            }
            start = end + 1
        }
        return 0
    }

    private static func isFrontMatterFence(
        _ line: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        line.count == 3
            && (utf8[line].elementsEqual("---".utf8) || utf8[line].elementsEqual("+++".utf8))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    private static func trimmed(_ range: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(utf8[start]) { start += 1 }
        while start < end, isSpace(utf8[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func text(_ range: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>) -> String {
        TextTitle.plainText(Substring(decoding: utf8[range], as: UTF8.self))
    }
}
