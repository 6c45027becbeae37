/// A leaf block of a Markdown text, such as a paragraph or a heading.
struct MarkdownBlock: Equatable {
    enum Kind: Equatable {
        /// A heading with its level, from 1 to 6.
        case heading(Int)
        /// A paragraph. Definitions of link references are paragraphs, too.
        case paragraph
        /// A code block between fences, or an indented one.
        case code
        /// HTML.
        case html
        /// A table. Its rows follow as separate blocks.
        case table
        /// A row of a table.
        case tableRow
        /// A horizontal line.
        case thematicBreak
    }

    var kind: Kind
    var lines: Range<Int>
    /// Whether the block is neither in a list nor in a block quote.
    var isTopLevel: Bool
    var isFirstInItem = false
}
