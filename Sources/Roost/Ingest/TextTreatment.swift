public import RoostModel
import RoostText

/// The parts of an entry's text that are embedded and indexed, by the structure that a reader found.
package struct TextTreatment: Sendable {
    package let content: String
    package let structure: TextStructure

    package init(of entry: Entry) {
        (content, structure) = (entry.content, entry.structure ?? TextStructure())
    }

    package var hidesText: Bool { !structure.hiddenParts.isEmpty }

    package var visibleText: String { visibleText(in: 0..<content.utf8.count) }

    /// Returns the text in a range of UTF-8 bytes without the hidden parts.
    package func visibleText(in range: Range<Int>) -> String {
        var content = content
        return content.withUTF8 { utf8 in
            guard hidesText else { return String(decoding: utf8[range], as: UTF8.self) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            for part in visibleRanges(in: range) {
                // A comment between two words must not join them.
                if let last = bytes.last, let first = part.first, last.isWordByte,
                    utf8[first].isWordByte
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
            for part in visibleRanges(in: range) {
                guard let first = part.first(where: { !Self.isSpace(utf8[$0]) }),
                    let last = part.last(where: { !Self.isSpace(utf8[$0]) })
                else { continue }
                bounds = (bounds?.lowerBound ?? first)..<(last + 1)
            }
            return bounds
        }
    }

    /// Returns the tokens that are not in hidden parts. A token that is partly hidden is included.
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
        guard let section = structure.section(at: passage.lowerBound) else { return [] }
        // White space may precede the heading.
        let isAtStart = !hasVisibleText(in: section.range.lowerBound..<passage.lowerBound)
        return isAtStart ? section.headings.dropLast() : section.headings
    }

    /// Returns whether a range contains a character that is neither hidden nor white space. It reads only up
    /// to the first one.
    private func hasVisibleText(in range: Range<Int>) -> Bool {
        var content = content
        return content.withUTF8 { utf8 in
            visibleRanges(in: range).contains { !utf8[$0].allSatisfy(Self.isSpace) }
        }
    }

    /// Returns the parts of a range that are not hidden, in order.
    private func visibleRanges(in range: Range<Int>) -> VisibleRanges {
        let first = structure.firstHiddenPart(endingAfter: range.lowerBound)
        return VisibleRanges(remainder: range, hidden: structure.hiddenParts[first...])
    }

    /// The parts of a range that are not hidden. They are computed when they are requested.
    private struct VisibleRanges: Sequence, IteratorProtocol {
        var remainder: Range<Int>
        /// The hidden parts that end after the beginning of ``remainder``.
        var hidden: ArraySlice<TextStructure.HiddenPart>

        mutating func next() -> Range<Int>? {
            while !remainder.isEmpty {
                let end = remainder.upperBound
                let part = hidden.popFirst()?.range.clamped(to: remainder) ?? end..<end
                let visible = remainder.lowerBound..<part.lowerBound
                remainder = part.upperBound..<end
                if !visible.isEmpty { return visible }
            }
            return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

extension Entry {
    /// The title: the value of the metadata key `title`, or else the title in the text's front matter, the
    /// heading at its beginning, or its first sentence. `nil` if the text has only white space and markup.
    ///
    /// - Complexity: O(1).
    public var title: String? {
        Self.title(in: metadata) ?? structure?.title
            ?? TextTitle.firstSentence(of: visibleBeginning, isMarkdown: structure?.format == .markdown)
    }

    /// Returns the value of the metadata key `title`; `nil` if it is missing, null or blank, as it often is
    /// in rows of other programs.
    package static func title(in metadata: [String: MetadataValue]) -> String? {
        guard let value = metadata[DocumentKey.title], value != .null, let title = value.text,
            title.contains(where: { !$0.isWhitespace })
        else { return nil }
        return title
    }

    /// The visible text at the beginning, after the front matter.
    private var visibleBeginning: String {
        let treatment = TextTreatment(of: self)
        let start = treatment.structure.bodyStart
        let end = min(content.utf8.count, start + TextTitle.searchedBytes)
        return treatment.visibleText(in: min(start, end)..<end)
    }

    /// Reads the text as Markdown if no reader has read it. A text that did not come from a document, such as
    /// a message, is Markdown.
    mutating func readStructure() {
        if structure == nil { structure = TextStructure(of: content, format: .markdown) }
    }

    /// The text without the parts that are neither embedded nor indexed, such as front matter and comments.
    package var visibleText: String { TextTreatment(of: self).visibleText }
}
