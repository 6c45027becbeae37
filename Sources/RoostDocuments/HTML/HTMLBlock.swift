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

    var kind: Kind
    /// The index of the innermost block element that contains the text.
    var container: Int
    var texts: [Int] = []
    var text = ""
    var counts = TextCounts()
    var linkWords = 0
    var links = 0
}
