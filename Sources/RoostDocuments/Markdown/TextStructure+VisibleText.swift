import RoostText

extension TextStructure {
    /// Returns the text of a range without the hidden parts. The text of a link remains, and its target does
    /// not.
    ///
    /// - Parameters:
    ///   - range: A range in UTF-8 bytes on boundaries of characters.
    ///   - text: The text from which the structure was computed.
    /// - Complexity: O(length of range + log(number of hidden parts)).
    public func visibleText(in range: Range<Int>, of text: String) -> String {
        var text = text
        return text.withUTF8 { utf8 in
            var result: [UInt8] = []
            result.reserveCapacity(range.count)
            var start = range.lowerBound
            for part in hiddenParts[firstHiddenPart(endingAfter: start)...] {
                guard part.range.lowerBound < range.upperBound else { break }
                let end = max(start, part.range.lowerBound)
                result.append(contentsOf: utf8[start..<end])
                let isBreak = Self.separatesWords(utf8[part.range])
                if isBreak, let last = result.last, !last.isMarkdownSpace { result.append(32) }
                start = min(part.range.upperBound, range.upperBound)
            }
            result.append(contentsOf: utf8[min(start, range.upperBound)..<range.upperBound])
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Returns the index of the first hidden part that ends after an offset in UTF-8 bytes; the number of
    /// hidden parts if all end before it.
    ///
    /// - Complexity: O(log(number of hidden parts)).
    package func firstHiddenPart(endingAfter offset: Int) -> Int {
        hiddenParts.partitioningIndex { $0.range.upperBound > offset }
    }

    /// Returns whether a hidden part separates the words around it: an HTML tag of an element that is not
    /// part of a line of text, such as `<br>`.
    private static func separatesWords(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard part.first == UInt8(ascii: "<") else { return false }
        let name = part.dropFirst().drop { $0 == UInt8(ascii: "/") }
            .prefix { $0.isASCIILetter || $0.isASCIIDigit }
        guard !name.isEmpty else { return false }
        return !HTMLElementName.inline.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    /// Returns the index of the last section that begins at or before an offset in UTF-8 bytes; 0 if none
    /// does.
    ///
    /// - Complexity: O(log(number of sections)).
    public func sectionIndex(at offset: Int) -> Int {
        max(0, sections.partitioningIndex { $0.range.lowerBound > offset } - 1)
    }
}
