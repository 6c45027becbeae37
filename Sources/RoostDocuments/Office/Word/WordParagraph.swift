/// A paragraph of a Word document.
struct WordParagraph {
    /// The text, with `\n` for line breaks within the paragraph.
    var text = ""
    /// The id of the style.
    var style = ""
    /// Whether the run that is read is formatted as hidden text, which is neither shown nor printed.
    var isHiddenRun = false
    /// The level of the heading that the paragraph states itself, from 1.
    var outlineLevel: Int?
    /// The list to which the paragraph belongs.
    var list: WordStyles.ListReference?
    /// The ids of the comments.
    var comments: [String] = []
}
