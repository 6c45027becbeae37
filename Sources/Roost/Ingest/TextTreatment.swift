import Foundation
import RoostDocuments
public import RoostModel
import RoostText

/// The parts of an entry's text that are embedded and indexed, by the structure that a reader found.
package struct TextTreatment: Sendable {
    package let content: String
    package let structure: TextStructure

    package init(of entry: Entry) {
        (content, structure) = (entry.content, entry.structure ?? TextStructure())
    }

    /// Whether a part of the text is neither embedded nor indexed.
    package var hidesText: Bool { !structure.hiddenParts.isEmpty }

    /// The text without its hidden parts.
    ///
    /// - Complexity: O(length of the text).
    package var visibleText: String { visibleText(in: 0..<content.utf8.count) }

    /// Returns the text in a range of UTF-8 bytes without the hidden parts.
    ///
    /// - Complexity: O(length of the range + log(number of hidden parts)).
    package func visibleText(in range: Range<Int>) -> String {
        var content = content
        return content.withUTF8 { utf8 in
            guard hidesText else { return String(decoding: utf8[range], as: UTF8.self) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            for part in visibleRanges(in: range) {
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
    ///
    /// - Complexity: O(length of the range + log(number of hidden parts)).
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
        /// The rest of the range, after the last part that was returned.
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
    ///
    /// - Complexity: O(length of the text).
    package var visibleText: String { TextTreatment(of: self).visibleText }
}

/// The passages of an entry's text, before they are embedded.
struct PassagePlan: Sendable, Hashable {
    /// A passage and the text that is embedded for it.
    struct Part: Sendable, Hashable {
        /// The range of the passage in UTF-8 bytes of the content.
        var range: Range<Int>
        /// The text that is embedded.
        var text: String
    }

    /// The passages in order.
    private(set) var parts: [Part]

    /// The maximum number of tokens of the headings that are embedded with a passage.
    private static let maximumPrefix = 40

    /// Plans the passages of an entry.
    ///
    /// - Complexity: O(length of the text).
    init(of entry: Entry, embedder: any Embedder, splitter: PassageSplitter) {
        let treatment = TextTreatment(of: entry)
        let entire = 0..<entry.content.utf8.count
        guard let bounds = treatment.hidesText ? treatment.visibleBounds(of: entire) : entire else {
            // An entry without visible text is found by its title.
            let title = entry.title ?? entry.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
            parts = [Part(range: entire, text: title ?? entry.content)]
            return
        }
        let ranges = Self.ranges(
            in: treatment, bounds, embedder, splitter)
        let file = entry.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
        parts = ranges.map { range in
            let text = treatment.visibleText(in: range)
            var headings = treatment.headings(above: range)
            if treatment.structure.format == .code, let file { headings.insert(file, at: 0) }
            let prefix = Self.prefix(headings, embedder)
            return Part(range: range, text: prefix + text)
        }
    }

    /// Returns the ranges of the passages: the visible text if it does not exceed the model's limit.
    private static func ranges(
        in treatment: TextTreatment, _ bounds: Range<Int>, _ embedder: any Embedder,
        _ splitter: PassageSplitter
    ) -> [Range<Int>] {
        // A token has at least one byte, so the tokens of a text without more bytes than the limit need not
        // be counted.
        guard let limit = embedder.maximumTokens, bounds.count > limit else { return [bounds] }
        let tokens = treatment.visible(embedder.checkedTokenRanges(in: treatment.content))
        guard tokens.count > limit else { return [bounds] }
        var splitter = splitter
        // The splitter treats a limit below 1 as 1.
        splitter.maximumTokens = min(splitter.maximumTokens, limit)
        let structure = treatment.structure
        return splitter.split(
            treatment.content, tokens: tokens,
            sections: structure.sections.map(\.range.lowerBound), blocks: structure.blocks
        ).compactMap { treatment.hidesText ? treatment.visibleBounds(of: $0) : $0 }
    }

    /// Returns the line that precedes a passage: the headings above it. Outer headings are omitted if the
    /// line would be too long.
    private static func prefix(_ headings: [String], _ embedder: any Embedder) -> String {
        var headings = headings[...]
        while !headings.isEmpty {
            let line = headings.joined(separator: " > ") + "\n"
            if line.utf8.count <= maximumPrefix || embedder.tokenRanges(in: line).count <= maximumPrefix {
                return line
            }
            headings.removeFirst()
        }
        return ""
    }

    /// Returns whether the vectors of a stored entry with the same content belong to these passages.
    ///
    /// - Parameters:
    ///   - entry: The stored entry, which may come from another source.
    ///   - plan: The plan for the stored entry.
    func isEmbedded(in entry: Entry, plannedAs plan: PassagePlan) -> Bool {
        plan == self && entry.searchablePassages.map(\.utf8Range) == parts.map(\.range)
    }
}
