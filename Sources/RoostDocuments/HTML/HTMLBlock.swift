/// A paragraph, heading, list item, table row or other text that a browser shows as a unit.
struct HTMLBlock: Sendable {
    /// The kind of a block, which determines its Markdown.
    enum Kind: Sendable {
        /// A text whose line breaks have no meaning.
        case text
        /// A preformatted text.
        case code
        /// A row of a data table.
        case row
    }

    /// The kind.
    var kind: Kind
    /// The index of the innermost block element that contains the text.
    var container: Int
    /// The indices of the text nodes.
    var texts: [Int] = []
    /// The text with single spaces.
    var text = ""
    /// The counts of words and characters.
    var counts = TextCounts()
    /// The number of words in links.
    var linkWords = 0
    /// The number of links.
    var links = 0
}
