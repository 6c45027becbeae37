/// A text as people read it: without hidden parts, with a colon after headings and, in Markdown, without the signs of
/// headings, quotations, tables, code and emphasis.
package struct ReadableText: Sendable {
    /// The readable text.
    package private(set) var text = ""
    /// The parts of the original that the text contains, in order.
    private var runs: [(source: Int, text: Int, count: Int)] = []

    /// Creates the readable form of a text.
    ///
    /// - Parameters:
    ///   - content: The original.
    ///   - area: The UTF-8 range to read; `nil` for all.
    ///   - hidden: The UTF-8 ranges to omit, in order and disjoint.
    ///   - isMarkdown: Whether the original is Markdown.
    ///   - blocks: The UTF-8 ranges of code and of tables in Markdown, in order and disjoint.
    ///   - headings: The UTF-8 offsets of lines that are headings.
    /// - Complexity: O(length of content).
    package init(
        _ content: String, in area: Range<Int>? = nil, hiding hidden: [Range<Int>] = [],
        isMarkdown: Bool = false, blocks: [Range<Int>] = [], headings: [Int] = []
    ) {
        var content = content
        content.withUTF8 { utf8 in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(utf8.count)
            var runEnd = 0
            func append(_ range: Range<Int>, to runs: inout [(source: Int, text: Int, count: Int)]) {
                guard !range.isEmpty else { return }
                // A part between two words must not join them, unless it is emphasis.
                if let last = bytes.last, last.isWordByte, utf8[range.lowerBound].isWordByte,
                    !utf8[runEnd..<range.lowerBound].allSatisfy(MarkdownSigns.isEmphasis)
                {
                    bytes.append(32)
                }
                runEnd = range.upperBound
                runs.append((range.lowerBound, bytes.count, range.count))
                bytes += utf8[range]
            }
            let area = (area ?? 0..<utf8.count).clamped(to: 0..<utf8.count)
            var omitted = hidden.map { Omission(range: $0, replacement: "") }
            if isMarkdown {
                let signs = MarkdownSigns.ranges(in: utf8, blocks: blocks)
                omitted += signs.map {
                    Omission(range: $0, replacement: MarkdownSigns.character(of: utf8[$0]) ?? "")
                }
            }
            for start in headings where area.contains(start) {
                let end = MarkdownSigns.headingEnd(start, in: utf8, isMarkdown: isMarkdown)
                if end < area.upperBound { omitted.append(Omission(range: end..<end, replacement: ":")) }
            }
            omitted.sort { $0.range.lowerBound < $1.range.lowerBound }
            var end = area.lowerBound
            for part in omitted where part.range.lowerBound < area.upperBound {
                append(end..<max(end, part.range.lowerBound), to: &runs)
                // A part that begins in a hidden one, or before the area, is not read. A heading that ends with a sign
                // needs no colon.
                if part.range.lowerBound >= end, !part.range.isEmpty || bytes.last?.isWordByte == true {
                    bytes += part.replacement.utf8
                }
                end = min(area.upperBound, max(end, part.range.upperBound))
            }
            append(end..<area.upperBound, to: &runs)
            text = String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns the offset in the text of an offset in the original.
    package func offset(ofSource source: Int) -> Int {
        guard let run = runs[..<runs.partitioningIndex { $0.source > source }].last else { return 0 }
        return run.text + min(source - run.source, run.count)
    }

    /// Returns the offset in the original of an offset in the text.
    package func source(ofOffset offset: Int) -> Int {
        guard let run = runs[..<runs.partitioningIndex { $0.text > offset }].last else { return 0 }
        return run.source + min(offset - run.text, run.count)
    }

    /// Returns the range of the original from the first to the last byte of a range of the text.
    package func source(of range: Range<Int>) -> Range<Int> {
        let start = source(ofOffset: range.lowerBound)
        return start..<(range.isEmpty ? start : max(start, source(ofOffset: range.upperBound - 1) + 1))
    }
}

/// A part of a text that is not read as it is written.
private struct Omission {
    var range: Range<Int>
    var replacement: String
}

/// Finds the signs of Markdown that readers keep in the embedded text, because models know them.
private enum MarkdownSigns {
    static func isEmphasis(_ byte: UInt8) -> Bool {
        let signs: StaticString = "*_~=`"
        return signs.withUTF8Buffer { $0.contains(byte) }
    }

    private static let characters = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "nbsp": " ", "#39": "'"]

    /// Returns the character that a reference such as `&amp;` stands for; `nil` for another text.
    static func character(of reference: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        guard reference.first == UInt8(ascii: "&"), reference.last == UInt8(ascii: ";") else { return nil }
        return characters[String(decoding: reference.dropFirst().dropLast(), as: UTF8.self)]
    }

    private static func isLatin(_ byte: UInt8) -> Bool { byte < 0x80 && byte.isWordByte }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    private static func isPunctuation(_ byte: UInt8) -> Bool { (33...126).contains(byte) && !byte.isWordByte }

    /// Returns the end of the text of the heading that begins at an offset: of its line or, if the heading is
    /// underlined, of the last line above the underline.
    static func headingEnd(_ start: Int, in utf8: UnsafeBufferPointer<UInt8>, isMarkdown: Bool) -> Int {
        func line(_ start: Int) -> Range<Int> { start..<(utf8[start...].firstIndex(of: 10) ?? utf8.count) }
        func signs(_ line: Range<Int>) -> Slice<UnsafeBufferPointer<UInt8>> {
            utf8[line].drop { isSpace($0) || $0 == UInt8(ascii: ">") }
        }
        func trimmed(_ end: Int) -> Int { utf8[start..<end].lastIndex { !isSpace($0) }.map { $0 + 1 } ?? end }
        let first = line(start)
        var end = first.upperBound
        while isMarkdown, signs(first).first != UInt8(ascii: "#"), end < utf8.count {
            let next = line(end + 1)
            // An empty line cannot be a part of a heading.
            guard let sign = signs(next).first else { break }
            let isUnderline = sign == UInt8(ascii: "=") || sign == UInt8(ascii: "-")
            if isUnderline, signs(next).allSatisfy({ $0 == sign || isSpace($0) }) { return trimmed(end) }
            end = next.upperBound
        }
        return trimmed(first.upperBound)
    }

    /// Returns whether a block is a table, not code: its second line consists of hyphens, colons and bars.
    private static func isTable(_ block: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let signs: StaticString = "-:|>"
        let line = block.drop { $0 != 10 }.dropFirst().prefix { $0 != 10 }
        return line.contains(UInt8(ascii: "|"))
            && line.allSatisfy { byte in isSpace(byte) || signs.withUTF8Buffer { $0.contains(byte) } }
    }

    /// Returns the ranges of signs and of references to characters, in order and disjoint. Fenced code keeps its signs.
    ///
    /// - Parameter blocks: The ranges of code and of tables, in order and disjoint.
    static func ranges(in utf8: UnsafeBufferPointer<UInt8>, blocks: [Range<Int>]) -> [Range<Int>] {
        var (ranges, blocks) = ([Range<Int>](), blocks[...])
        var tables = blocks.filter { isTable(utf8[$0.clamped(to: utf8.indices)]) }[...]
        // The character of the fence around the line, and the number of quotations around the fence.
        var fence: (byte: UInt8, quotations: Int)?
        var start = 0
        while start < utf8.count {
            let end = utf8[start...].firstIndex(of: 10) ?? utf8.count
            defer { start = end + 1 }
            while let block = blocks.first, block.upperBound <= start {
                (blocks, fence) = (blocks.dropFirst(), nil)
            }
            while let table = tables.first, table.upperBound <= start { tables = tables.dropFirst() }
            var (index, quoteEnd, quotations) = (start, start, 0)
            while index < end, utf8[index] == 32 || utf8[index] == UInt8(ascii: ">") {
                if utf8[index] != 32 {
                    guard quotations < fence?.quotations ?? .max else { break }
                    (quotations, quoteEnd) = (quotations + 1, index + 1)
                }
                index += 1
            }
            // Code keeps its indentation.
            if quotations > 0 { ranges.append(start..<(fence == nil ? index : min(index, quoteEnd + 1))) }
            let first = index < end ? utf8[index] : 0
            let run = utf8[index..<end].prefix { $0 == first }.count
            let isAlone = utf8[(index + run)..<end].allSatisfy(isSpace)
            if let fence {
                let isLast = blocks.first.map { $0.upperBound <= end + 1 } ?? true
                if isLast, isAlone, run >= 3, first == fence.byte { ranges.append(index..<end) }
                continue
            }
            if run >= 3, first == UInt8(ascii: "`") || first == UInt8(ascii: "~"),
                blocks.first?.contains(index) == true
            {
                fence = (first, quotations)
                ranges.append(index..<end)
                continue
            }
            if run >= 3, isAlone, first == UInt8(ascii: "=") || first == UInt8(ascii: "-") {
                // The line below a heading.
                ranges.append(index..<end)
                continue
            }
            if first == UInt8(ascii: "#"), run <= 6, index + run == end || utf8[index + run] == 32 {
                ranges.append(index..<min(end, index + run + 1))
                index += run
            }
            let isRow = first == UInt8(ascii: "|") || tables.first?.contains(index) == true
            addInline(index..<end, isRow: isRow, utf8, to: &ranges)
        }
        return ranges
    }

    /// Adds the signs in a line: emphasis next to words, the delimiters of code, those of cells, and backslashes
    /// before punctuation.
    private static func addInline(
        _ line: Range<Int>, isRow: Bool, _ utf8: UnsafeBufferPointer<UInt8>, to ranges: inout [Range<Int>]
    ) {
        var index = line.lowerBound
        // The number of backquotes before the code, which as many end.
        var code: Int?
        while index < line.upperBound {
            let byte = utf8[index]
            let end = index + utf8[index..<line.upperBound].prefix { $0 == byte }.count
            let before = index > line.lowerBound ? utf8[index - 1] : 32
            let after = end < line.upperBound ? utf8[end] : 32
            // Between spaces, it is a word.
            let isEmphasis = !(isSpace(before) && isSpace(after))
            var isSign = false
            switch byte {
            case UInt8(ascii: "`"):
                isSign = code == nil || code == end - index
                if isSign { code = code == nil ? end - index : nil }
            case _ where code != nil: break
            case UInt8(ascii: "\\"):
                let isEscape = index + 1 < line.upperBound && isPunctuation(utf8[index + 1])
                if isEscape { ranges.append(index..<index + 1) }
                index += isEscape ? 2 : 1
                continue
            case UInt8(ascii: "|"): isSign = isRow
            case UInt8(ascii: "&"):
                let last = utf8[index..<line.upperBound].prefix(6).firstIndex(of: UInt8(ascii: ";")) ?? index
                guard character(of: utf8[index...last]) != nil else { break }
                ranges.append(index..<last + 1)
                index = last + 1
                continue
            // Between two words, as in `snake_case` or `2*3`, they are a part of them. Scripts without spaces have
            // emphasis there.
            case UInt8(ascii: "_"): isSign = isEmphasis && !(before.isWordByte && after.isWordByte)
            case UInt8(ascii: "*"): isSign = isEmphasis && !(isLatin(before) && isLatin(after))
            case UInt8(ascii: "~"), UInt8(ascii: "="):
                isSign = end - index == 2 && isEmphasis && !(isLatin(before) && isLatin(after))
            default: break
            }
            if isSign { ranges.append(index..<end) }
            index = end
        }
    }
}

extension UInt8 {
    /// Whether a byte of UTF-8 is an ASCII letter or digit, or belongs to another character.
    package var isWordByte: Bool { self >= 0x80 || 48...57 ~= self || 97...122 ~= self | 0x20 }
}
