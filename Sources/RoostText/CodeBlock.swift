/// Finds the code blocks in Markdown texts. Line breaks are part of the meaning of code.
package enum CodeBlock {
    /// The number of spaces at the beginning of a line of code without fences.
    private static let indentation = 4

    /// Returns the lines of the code block that contains a byte, without its fences; `nil` if the byte is not
    /// in code.
    ///
    /// A code block is fenced by lines that begin with three backquotes or tildes, or all its lines are
    /// indented by four spaces or a tab and a blank line precedes it.
    ///
    /// - Complexity: O(length of content).
    package static func range(containing byte: Int, in content: String) -> Range<Int>? {
        var content = content
        return content.withUTF8 { utf8 in
            var start = 0
            var block: (fence: UInt8, start: Int)?
            var indentedStart: Int?
            var isAfterBlank = true
            while start < utf8.count {
                let end = utf8[start...].firstIndex(of: UInt8(ascii: "\n")) ?? utf8.count
                let line = utf8[start..<end]
                defer { start = end + 1 }
                if let mark = fence(line) {
                    if block == nil, let first = indentedStart, byte >= first, byte < start {
                        return first..<start - 1
                    }
                    if let open = block, open.fence == mark {
                        if byte < end {
                            return byte >= open.start ? open.start..<max(open.start, start - 1) : nil
                        }
                        block = nil
                    } else if block == nil {
                        block = (mark, end + 1)
                    }
                    (indentedStart, isAfterBlank) = (nil, true)
                    continue
                }
                guard block == nil else { continue }
                let isBlank = line.allSatisfy(isSpace)
                if isIndented(line), !isBlank, indentedStart != nil || isAfterBlank {
                    indentedStart = indentedStart ?? start
                } else if !isBlank {
                    if let first = indentedStart, byte < start {
                        return byte >= first ? first..<start - 1 : nil
                    }
                    indentedStart = nil
                }
                isAfterBlank = isBlank
            }
            let first = block?.start ?? indentedStart
            return first.flatMap { byte >= $0 && byte <= utf8.count ? $0..<utf8.count : nil }
        }
    }

    private static func fence(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> UInt8? {
        let text = line.drop(while: isSpace)
        guard let first = text.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~") else {
            return nil
        }
        return text.prefix { $0 == first }.count >= 3 ? first : nil
    }

    private static func isIndented(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        line.first == 9 || (line.count > indentation && line.prefix(indentation).allSatisfy { $0 == 32 })
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
}
