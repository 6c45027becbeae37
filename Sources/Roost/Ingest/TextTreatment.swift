package import RoostDocuments
package import RoostModel

/// The parts of a text that are embedded and indexed.
package struct TextTreatment: Sendable {
    /// The text.
    package let content: String
    /// The structure of the text.
    package let structure: TextStructure

    /// Creates the treatment of an entry's text.
    ///
    /// - Complexity: O(length of the text).
    package init(of entry: Entry) {
        content = entry.content
        structure = TextStructure(of: entry.content, format: entry.textFormat)
    }

    /// Whether a part of the text is neither embedded nor indexed.
    package var hidesText: Bool { !structure.hiddenParts.isEmpty }

    /// The text without its hidden parts.
    ///
    /// - Complexity: O(length of the text).
    package var visibleText: String { visibleText(in: 0..<content.utf8.count) }

    /// Returns the text in a range of UTF-8 bytes without the hidden parts.
    package func visibleText(in range: Range<Int>) -> String {
        var content = content
        return content.withUTF8 { utf8 in
            guard hidesText else { return String(decoding: utf8[range], as: UTF8.self) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            forEachVisibleRange(in: range) { part in
                // A comment between two words must not join them.
                if let last = bytes.last, let first = part.first, Self.isWordByte(last),
                    Self.isWordByte(utf8[first])
                {
                    bytes.append(UInt8(ascii: " "))
                }
                bytes += utf8[part]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns a range without the white space and the hidden parts at its ends; `nil` if nothing remains.
    package func visibleBounds(of range: Range<Int>) -> Range<Int>? {
        var content = content
        return content.withUTF8 { utf8 in
            var bounds: Range<Int>?
            forEachVisibleRange(in: range) { part in
                guard let first = part.first(where: { !Self.isSpace(utf8[$0]) }),
                    let last = part.last(where: { !Self.isSpace(utf8[$0]) })
                else { return }
                bounds = (bounds?.lowerBound ?? first)..<(last + 1)
            }
            return bounds
        }
    }

    /// Returns the tokens that are not in hidden parts. A token that is partly hidden is included.
    ///
    /// - Parameter tokens: Ranges of UTF-8 bytes in ascending order.
    func visible(_ tokens: [Range<Int>]) -> [Range<Int>] {
        var hidden = structure.hiddenParts[...]
        return tokens.filter { token in
            while let first = hidden.first, first.range.upperBound <= token.lowerBound {
                hidden.removeFirst()
            }
            guard let part = hidden.first?.range else { return true }
            return token.lowerBound < part.lowerBound || token.upperBound > part.upperBound
        }
    }

    /// Returns the headings or symbols above a passage, the outermost first. A heading in the passage
    /// itself is omitted.
    func headings(above passage: Range<Int>) -> [String] {
        guard let section = section(at: passage.lowerBound) else { return [] }
        // White space may precede the heading.
        let start = visibleBounds(of: section.range)?.lowerBound ?? section.range.lowerBound
        return start >= passage.lowerBound ? section.headings.dropLast() : section.headings
    }

    /// Returns the headings or symbols above a byte, the outermost first, including that of the section that
    /// contains the byte.
    func headings(at byte: Int) -> [String] { section(at: byte)?.headings ?? [] }

    /// Returns the last section that begins at or before a byte.
    private func section(at byte: Int) -> TextStructure.Section? {
        let sections = structure.sections
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.lowerBound <= byte { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? sections[low - 1] : nil
    }

    /// Calls `body` with each part of a range that is not hidden, in order.
    private func forEachVisibleRange(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        for part in structure.hiddenParts where part.range.upperBound > start {
            guard part.range.lowerBound < range.upperBound else { break }
            if part.range.lowerBound > start { body(start..<part.range.lowerBound) }
            start = part.range.upperBound
            if start >= range.upperBound { return }
        }
        if start < range.upperBound { body(start..<range.upperBound) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
            true
        default: false
        }
    }
}

extension Entry {
    /// The text without the parts that are neither embedded nor indexed, such as front matter and comments.
    ///
    /// - Complexity: O(length of the text).
    package var visibleText: String { TextTreatment(of: self).visibleText }
}
