/// The lines of a Markdown text, as CommonMark counts them: a line ends with a line feed, a carriage return,
/// or both.
struct MarkdownLines {
    /// The UTF-8 offsets at which the lines begin, followed by the length of the text.
    let starts: [Int]
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        var starts = [0]
        for index in bytes.indices {
            let isEnd =
                bytes[index] == 0x0A
                || (bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A))
            if isEnd { starts.append(index + 1) }
        }
        if starts.last != bytes.count { starts.append(bytes.count) }
        if bytes.isEmpty { starts = [0] }
        self.starts = starts
        self.bytes = bytes
    }

    var count: Int { starts.count - 1 }

    func range(_ line: Int) -> Range<Int> { starts[line]..<starts[line + 1] }

    /// Returns the range of several lines, without the last line break.
    func contentRange(_ lines: Range<Int>) -> Range<Int> {
        let lower = starts[min(lines.lowerBound, count)]
        var upper = starts[min(lines.upperBound, count)]
        while upper > lower, bytes[upper - 1] == 0x0A || bytes[upper - 1] == 0x0D { upper -= 1 }
        return lower..<upper
    }

    /// Returns the range of a line without its line break and without the white space around it.
    func trimmedRange(_ line: Int) -> Range<Int> { bytes.trimmed(contentRange(line..<line + 1)) }
}

extension [UInt8] {
    /// Returns a range without the spaces, tabs and line breaks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isMarkdownSpace { start += 1 }
        while start < end, self[end - 1].isMarkdownSpace { end -= 1 }
        return start..<end
    }

    func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }

    /// Returns whether the bytes at an offset equal an ASCII string.
    func matches(_ literal: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset + literal.utf8CodeUnitCount <= count else { return false }
        return literal.withUTF8Buffer { buffer in
            for index in buffer.indices where self[offset + index] != buffer[index] { return false }
            return true
        }
    }
}

extension UInt8 {
    var isMarkdownSpace: Bool { self == 32 || (9...13).contains(self) }
    var isASCIILetter: Bool { (65...90).contains(self) || (97...122).contains(self) }
    var isASCIIDigit: Bool { (48...57).contains(self) }
    var isASCIIPunctuation: Bool {
        (33...47).contains(self) || (58...64).contains(self) || (91...96).contains(self)
            || (123...126).contains(self)
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

enum UnicodeScan {
    /// Returns the end of the characters from an offset that a tag can contain.
    ///
    /// Tags contain no white space, no ASCII punctuation except `-`, `_` and `/`, and no character of the
    /// blocks General Punctuation and Supplemental Punctuation. These are the rules of Obsidian.
    static func tagEnd(_ bytes: [UInt8], from start: Int, to limit: Int) -> Int {
        var index = start
        while index < limit {
            let byte = bytes[index]
            if byte < 0x80 {
                guard byte.isASCIILetter || byte.isASCIIDigit || "-_/".utf8.contains(byte) else {
                    return index
                }
                index += 1
                continue
            }
            let (scalar, length) = self.scalar(bytes, at: index)
            switch scalar {
            case 0x80...0x9F, 0xA0, 0x1680, 0x2000...0x206F, 0x2E00...0x2E7F, 0x3000, 0xFEFF: return index
            default: index += length
            }
        }
        return min(index, limit)
    }

    static func isSpace(_ bytes: [UInt8], before offset: Int) -> Bool {
        var start = offset - 1
        while start > 0, offset - start < 4, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        guard start >= 0, bytes[start] >= 0x80 else { return false }
        return Unicode.Scalar(scalar(bytes, at: start).value)?.properties.isWhitespace ?? false
    }

    /// Returns the scalar at an offset of valid UTF-8, and its length in bytes.
    static func scalar(_ bytes: [UInt8], at offset: Int) -> (value: UInt32, length: Int) {
        let first = bytes[offset]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard offset + length <= bytes.count else { return (UInt32(first), 1) }
        var value = length == 1 ? UInt32(first) : UInt32(first & (0x7F >> UInt8(length)))
        for index in (offset + 1)..<max(offset + 1, offset + length) {
            value = value << 6 | UInt32(bytes[index] & 0x3F)
        }
        return (value, length)
    }
}
