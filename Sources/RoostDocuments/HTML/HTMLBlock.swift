/// A paragraph, heading, list item, table row or another text of a page that is shown as a unit.
struct HTMLBlock: Sendable {
    /// The kind of a block, which determines its Markdown.
    enum Kind: Sendable {
        /// A text in lines of any length.
        case text
        /// A preformatted text.
        case code
        /// A row of a table with data.
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
