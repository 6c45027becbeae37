import Foundation
import RoostFiles
package import RoostText

/// The format in which a text was read.
public enum TextFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// Text without markup.
    case plain
    /// Markdown (CommonMark with the extensions of GitHub and Obsidian).
    case markdown
    /// The text of a message, in which lines that begin with `>` are quotations, and a signature follows a
    /// line with two hyphens and a space.
    case mail
    /// Source code, or data such as JSON.
    case code
}

/// A link from a text to another document, a heading, or a web page.
public struct DocumentLink: Sendable, Hashable, Codable {
    /// The kind of a link.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A link by the name of a note, such as `[[Note]]`.
        case wiki
        /// A note or file that is shown in place, such as `![[Note]]`.
        case embed
        /// A link by path or URL, such as `[text](target)`.
        case address
    }

    /// The kind of the link.
    public var kind: Kind
    /// The name, path or URL of the target, without a fragment. Empty for a link within the document.
    public var target: String
    /// The heading or block of the target, without `#`; `nil` if the link names none.
    public var fragment: String?
    /// The text that is shown instead of the target; `nil` if the target itself is shown.
    public var text: String?

    /// Creates a link.
    public init(kind: Kind, target: String, fragment: String? = nil, text: String? = nil) {
        (self.kind, self.target, self.fragment, self.text) = (kind, target, fragment, text)
    }
}

/// The structure that a reader found in a text: its title, sections, blocks and links, and the parts that are stored but
/// neither embedded nor indexed.
///
/// A text is parsed only when it is ingested. Passages, indexed words, labels, titles and excerpts are
/// computed from the text and the structure, which is stored with the entry.
public struct TextStructure: Sendable, Hashable, Codable {
    /// A section of a text: the part below a heading, or a part of source code between blank lines.
    public struct Section: Sendable, Hashable, Codable {
        /// The headings above and of the section, the outermost first. Empty before the first one.
        public var headings: [String]
        /// The range of the section in UTF-8 bytes, from its heading to the next heading of any level.
        public var range: Range<Int>

        /// Creates a section.
        public init(headings: [String], range: Range<Int>) { (self.headings, self.range) = (headings, range) }
    }

    /// A part of a text that is not embedded.
    public struct HiddenPart: Sendable, Hashable, Codable {
        /// The reason why a part is not embedded. The order of the cases is part of the stored format.
        public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
            /// Metadata at the beginning of the text.
            case frontMatter
            /// A comment.
            case comment
            /// The address of an image or link.
            case address
            /// The text of an earlier message in a reply.
            case quotation
            /// The signature at the end of a message.
            case signature
            /// Markup, such as HTML tags.
            case markup
        }

        /// The reason why the part is not embedded.
        public var kind: Kind
        /// The range in UTF-8 bytes.
        public var range: Range<Int>

        /// Creates a part.
        public init(kind: Kind, range: Range<Int>) { (self.kind, self.range) = (kind, range) }
    }

    /// The format in which the text was read.
    public var format: TextFormat
    /// The title that the text states: that of its front matter, or a heading at its beginning; `nil` if it
    /// states none.
    public var title: String?
    /// The sections in order. Together they cover the text. Empty for a text without sections.
    public var sections: [Section]
    /// The parts that are not embedded, in order and disjoint.
    public var hiddenParts: [HiddenPart]
    /// The ranges, in UTF-8 bytes, that a passage contains as a whole if they are short enough: fenced code
    /// blocks, rows of tables, and sections of source code. In order and disjoint.
    public var blocks: [Range<Int>]
    /// The links in a Markdown text, in order.
    public var links: [DocumentLink]

    /// Creates a structure. Without arguments, it is that of a text without markup.
    public init(
        format: TextFormat = .plain, title: String? = nil, sections: [Section] = [],
        hiddenParts: [HiddenPart] = [], blocks: [Range<Int>] = [], links: [DocumentLink] = []
    ) {
        (self.format, self.title, self.sections, self.hiddenParts) = (format, title, sections, hiddenParts)
        (self.blocks, self.links) = (blocks, links)
    }
}

extension TextStructure {
    /// Returns a text, or a UTF-8 range of it, as people read it: without comments, addresses and markup.
    package func readable(_ content: String, in area: Range<Int>? = nil) -> ReadableText {
        let omitted: Set<HiddenPart.Kind> = [.comment, .address, .markup]
        return ReadableText(
            content, in: area, hiding: hiddenParts.filter { omitted.contains($0.kind) }.map(\.range),
            isMarkdown: format == .markdown, blocks: blocks,
            headings: format == .code ? [] : sections.filter { !$0.headings.isEmpty }.map(\.range.lowerBound))
    }

    /// Returns the index of the first hidden part that ends after an offset in UTF-8 bytes; the number of
    /// hidden parts if all end before it.
    ///
    /// - Complexity: O(log(number of hidden parts)).
    package func firstHiddenPart(endingAfter offset: Int) -> Int {
        hiddenParts.partitioningIndex { $0.range.upperBound > offset }
    }

    /// Returns the section that contains an offset in UTF-8 bytes; `nil` for a text without sections.
    ///
    /// - Complexity: O(log(number of sections)).
    public func section(at offset: Int) -> Section? {
        guard !sections.isEmpty else { return nil }
        return sections[max(0, sections.partitioningIndex { $0.range.lowerBound > offset } - 1)]
    }

    /// The UTF-8 offset at which the text after the front matter begins.
    package var bodyStart: Int {
        guard let first = hiddenParts.first, first.kind == .frontMatter else { return 0 }
        return first.range.upperBound
    }

    /// Returns whether the structure can be that of a text with a length in UTF-8 bytes: all ranges are within
    /// the text and in order, and the sections cover it.
    public func isValid(forLength length: Int) -> Bool {
        func areInOrder(_ ranges: [Range<Int>]) -> Bool {
            var end = 0
            return ranges.allSatisfy { range in
                defer { end = range.upperBound }
                return range.lowerBound >= end && !range.isEmpty && range.upperBound <= length
            }
        }
        var end = 0
        for section in sections {
            guard section.range.lowerBound == end, section.headings.count <= Self.maximumDepth else {
                return false
            }
            end = section.range.upperBound
        }
        return (sections.isEmpty || end == length) && areInOrder(hiddenParts.map(\.range))
            && areInOrder(blocks)
    }
}

// MARK: Coding

/// The stored form, format 1. A section states only the headings that differ from those of the section before.
extension TextStructure {
    private static let version = 1

    /// The maximum number of headings above a section. Without it, few stored bytes could need much memory.
    private static let maximumDepth = 32

    package var coded: [UInt8] {
        var writer = CompactWriter()
        writer.write(Self.version)
        writer.write(TextFormat.allCases.firstIndex(of: format) ?? 0)
        writer.write(optional: title)
        writer.write(sections.count)
        var path: [String] = []
        for section in sections {
            let kept = zip(path, section.headings).prefix { ExactText.areSame($0, $1) }.count
            for number in [section.range.count, kept, section.headings.count - kept] { writer.write(number) }
            for heading in section.headings.dropFirst(kept) { writer.write(heading) }
            path = section.headings
        }
        var end = 0
        writer.write(hiddenParts.count)
        for part in hiddenParts {
            writer.write(part.range, after: &end)
            writer.write(HiddenPart.Kind.allCases.firstIndex(of: part.kind) ?? 0)
        }
        end = 0
        writer.write(blocks.count)
        for block in blocks { writer.write(block, after: &end) }
        writer.write(links.count)
        for link in links {
            writer.write(DocumentLink.Kind.allCases.firstIndex(of: link.kind) ?? 0)
            writer.write(link.target)
            writer.write(optional: link.fragment)
            writer.write(optional: link.text)
        }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Returns: `nil` if the bytes are damaged, or if a range is not within a text with this length in UTF-8
    ///   bytes.
    package init?(coded bytes: [UInt8], length: Int) {
        var reader = CompactReader(bytes)
        guard let read = try? TextStructure(&reader), reader.isAtEnd, read.isValid(forLength: length) else {
            return nil
        }
        self = read
    }

    private init(_ reader: inout CompactReader) throws(CompactReader.Damage) {
        guard try reader.number() == Self.version else { throw CompactReader.Damage() }
        self.init(format: try reader.element(of: TextFormat.allCases))
        title = try reader.optionalText()
        var (path, end) = ([String](), 0)
        for _ in 0..<(try reader.number()) {
            let range = end..<end + (try reader.number())
            let kept = try reader.number()
            guard kept <= path.count else { throw CompactReader.Damage() }
            path.removeSubrange(kept...)
            for _ in 0..<(try reader.number()) {
                guard path.count < Self.maximumDepth else { throw CompactReader.Damage() }
                path.append(try reader.text())
            }
            sections.append(Section(headings: path, range: range))
            end = range.upperBound
        }
        end = 0
        for _ in 0..<(try reader.number()) {
            let range = try reader.range(after: &end)
            hiddenParts.append(
                HiddenPart(kind: try reader.element(of: HiddenPart.Kind.allCases), range: range))
        }
        end = 0
        for _ in 0..<(try reader.number()) { blocks.append(try reader.range(after: &end)) }
        for _ in 0..<(try reader.number()) {
            let kind = try reader.element(of: DocumentLink.Kind.allCases)
            links.append(
                DocumentLink(
                    kind: kind, target: try reader.text(), fragment: try reader.optionalText(),
                    text: try reader.optionalText()))
        }
    }

    /// Returns the stored form as text in JSON. It begins with a checksum of the content, because people edit exported
    /// texts.
    package func base64(of content: String) -> String {
        Data(Self.checksum(of: content) + coded).base64EncodedString()
    }

    /// Reads the stored form in JSON; `nil` if it is damaged or that of another text.
    package init?(base64: String, of content: String) {
        guard let data = Data(base64Encoded: base64),
            data.starts(with: Self.checksum(of: content))
        else { return nil }
        self.init(coded: Array(data.dropFirst(Self.checksumLength)), length: content.utf8.count)
    }

    private static let checksumLength = 4

    private static func checksum(of content: String) -> [UInt8] {
        var content = content
        let checksum = content.withUTF8 { CRC32C.checksum(UnsafeRawBufferPointer($0)) }
        return (0..<checksumLength).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
    }
}
