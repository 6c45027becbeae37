/// A text with single spaces, in which deleted text is between the signs `~~`, as in Markdown.
struct MarkedText {
    private var text = CollapsedText()
    /// The deleted text at the end.
    private var deleted = ""

    /// Appends a text.
    mutating func append(_ text: String, isDeleted: Bool) {
        if isDeleted {
            deleted += text
        } else {
            endDeletion()
            self.text.append(text)
        }
    }

    /// Returns the whole text.
    consuming func finished() -> String {
        endDeletion()
        return text.text
    }

    private mutating func endDeletion() {
        guard let first = deleted.first, let last = deleted.last else { return }
        // The signs are directly next to the text; otherwise they would not mark it.
        if first.isWhitespace { text.appendSpace() }
        let content = Self.collapsed(deleted)
        if !content.isEmpty { text.append("~~\(content)~~") }
        if last.isWhitespace { text.appendSpace() }
        deleted = ""
    }

    private static func collapsed(_ text: String) -> String {
        var result = CollapsedText()
        result.append(text)
        return result.text
    }
}
