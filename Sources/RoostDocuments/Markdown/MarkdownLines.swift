/// The lines of a Markdown text, as CommonMark counts them: a line ends with a line feed, a carriage return,
/// or both.
struct MarkdownLines {
    /// The UTF-8 offsets at which the lines begin, followed by the length of the text.
    let starts: [Int]
    /// The UTF-8 bytes of the text.
    let bytes: [UInt8]

    /// Finds the lines of a text.
    ///
    /// - Complexity: O(length of text).
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

    /// The number of lines.
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
    /// Whether the byte is a space, a tab or a line break.
    var isMarkdownSpace: Bool { self == 32 || (9...13).contains(self) }
    /// Whether the byte is an ASCII letter.
    var isASCIILetter: Bool { (65...90).contains(self) || (97...122).contains(self) }
    /// Whether the byte is an ASCII digit.
    var isASCIIDigit: Bool { (48...57).contains(self) }
    /// Whether the byte is an ASCII punctuation character.
    var isASCIIPunctuation: Bool {
        (33...47).contains(self) || (58...64).contains(self) || (91...96).contains(self)
            || (123...126).contains(self)
    }
}
