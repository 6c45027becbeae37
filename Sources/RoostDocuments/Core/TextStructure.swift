import RoostText

/// The sections of a text, and the parts of it that are stored but neither embedded nor indexed as its body.
///
/// The structure is computed from the text alone, so that a store need not save it: ingest, reembedding,
/// search and labels compute the same structure.
public struct TextStructure: Sendable, Hashable {
    /// A section of a text: the part below a heading, or a part of source code between blank lines.
    public struct Section: Sendable, Hashable {
        /// The headings above and of the section, the outermost first. Empty before the first one.
        public var headings: [String]
        /// The range of the section in UTF-8 bytes, from its heading to the next heading of any level.
        public var range: Range<Int>

        /// Creates a section.
        public init(headings: [String], range: Range<Int>) {
            self.headings = headings
            self.range = range
        }
    }

    /// A part of a text that is not embedded.
    public struct HiddenPart: Sendable, Hashable {
        /// The reason why a part is not embedded.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
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
        public init(kind: Kind, range: Range<Int>) {
            self.kind = kind
            self.range = range
        }
    }

    /// The sections in order. Together they cover the text.
    public var sections: [Section]
    /// The parts that are not embedded, in order and disjoint.
    public var hiddenParts: [HiddenPart]
    /// The ranges, in UTF-8 bytes, that a passage contains as a whole if they are short enough: fenced code
    /// blocks, rows of tables, and sections of source code. In order and disjoint.
    public var blocks: [Range<Int>]

    /// Creates a structure.
    public init(sections: [Section], hiddenParts: [HiddenPart] = [], blocks: [Range<Int>] = []) {
        self.sections = sections
        self.hiddenParts = hiddenParts
        self.blocks = blocks
    }
}

extension TextStructure {
    /// Returns the index of the first hidden part that ends after an offset in UTF-8 bytes; the number of
    /// hidden parts if all end before it.
    ///
    /// - Complexity: O(log(number of hidden parts)).
    package func firstHiddenPart(endingAfter offset: Int) -> Int {
        hiddenParts.partitioningIndex { $0.range.upperBound > offset }
    }

    /// Returns the index of the last section that begins at or before an offset in UTF-8 bytes; 0 if none
    /// does.
    ///
    /// - Complexity: O(log(number of sections)).
    public func sectionIndex(at offset: Int) -> Int {
        max(0, sections.partitioningIndex { $0.range.lowerBound > offset } - 1)
    }
}
