/// A shape of a slide.
struct PresentationShape {
    struct Paragraph {
        var text: String
        /// The level of the list, from 0.
        var level: Int
    }

    /// The paragraphs with text.
    var paragraphs: [Paragraph] = []
    /// The shape's table as Markdown.
    var table: String?
    /// Whether the shape is a placeholder of the layout.
    var isPlaceholder = false
    /// Whether the shape contains the title of the slide.
    var isTitle = false
    /// Whether the shape contains the main text of the slide, which is a list.
    var isBody = false
    /// Whether the shape contains the number, date, header or footer of the slide.
    var isHidden = false
}
