/// A text as people read it: without hidden parts and, in Markdown, without the signs of headings, quotations, tables,
/// code and emphasis.
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
    /// - Complexity: O(length of content).
    package init(
        _ content: String, in area: Range<Int>? = nil, hiding hidden: [Range<Int>] = [],
        isMarkdown: Bool = false
    ) {
        var content = content
        content.withUTF8 { utf8 in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(utf8.count)
            let isWord = MarkdownSigns.isWord
            func append(_ range: Range<Int>, to runs: inout [(source: Int, text: Int, count: Int)]) {
                guard !range.isEmpty else { return }
                // A part between two words must not join them.
                if let last = bytes.last, isWord(last), isWord(utf8[range.lowerBound]) { bytes.append(32) }
                runs.append((range.lowerBound, bytes.count, range.count))
                bytes += utf8[range]
            }
            let area = (area ?? 0..<utf8.count).clamped(to: 0..<utf8.count)
            var omitted = hidden
            if isMarkdown {
                omitted = (omitted + MarkdownSigns.ranges(in: utf8)).sorted { $0.lowerBound < $1.lowerBound }
            }
            var end = area.lowerBound
            for range in omitted.map({ $0.clamped(to: area) }) {
                append(end..<max(end, range.lowerBound), to: &runs)
                end = max(end, range.upperBound)
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

/// Finds the signs of Markdown that readers keep in the embedded text, because models know them.
private enum MarkdownSigns {
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
            true
        default: false
        }
    }

    /// Returns the ranges of signs, in order and disjoint. Code keeps its signs.
    static func ranges(in utf8: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var fence: UInt8?
        var start = 0
        while start < utf8.count {
            let end = utf8[start...].firstIndex(of: 10) ?? utf8.count
            defer { start = end + 1 }
            var index = start
            while index < end, utf8[index] == 32 || utf8[index] == UInt8(ascii: ">") && fence == nil {
                index += 1
            }
            let first = index < end ? utf8[index] : 0
            let run = utf8[index..<end].prefix { $0 == first }.count
            if run >= 3, first == UInt8(ascii: "`") || first == UInt8(ascii: "~"), fence ?? first == first {
                fence = fence == nil ? first : nil
                ranges.append(index..<end)
                continue
            }
            guard fence == nil else { continue }
            if utf8[start..<index].contains(UInt8(ascii: ">")) { ranges.append(start..<index) }
            if first == UInt8(ascii: "#"), run <= 6, index + run == end || utf8[index + run] == 32 {
                ranges.append(index..<min(end, index + run + 1))
                index += run
            }
            let isRow = first == UInt8(ascii: "|")
            addInline(index..<end, isRow: isRow, utf8, to: &ranges)
        }
        return ranges
    }

    /// Adds the signs in a line: emphasis next to words, the delimiters of code, and those of cells.
    private static func addInline(
        _ line: Range<Int>, isRow: Bool, _ utf8: UnsafeBufferPointer<UInt8>, to ranges: inout [Range<Int>]
    ) {
        var index = line.lowerBound
        var isCode = false
        while index < line.upperBound {
            let byte = utf8[index]
            let end = index + utf8[index..<line.upperBound].prefix { $0 == byte }.count
            let before = index > line.lowerBound ? utf8[index - 1] : 32
            let after = end < line.upperBound ? utf8[end] : 32
            let isSign =
                switch byte {
                case UInt8(ascii: "`"): true
                case _ where isCode: false
                case UInt8(ascii: "|"): isRow
                case UInt8(ascii: "~"), UInt8(ascii: "="): end - index == 2 && (before == 32) != (after == 32)
                case UInt8(ascii: "*"), UInt8(ascii: "_"):
                    // Between two words, as in `snake_case`, it is a part of them, and between spaces a word.
                    (before != 32 || after != 32) && !(isWord(before) && isWord(after))
                default: false
                }
            if byte == UInt8(ascii: "`") { isCode.toggle() }
            if isSign { ranges.append(index..<end) }
            index = end
        }
    }
}
