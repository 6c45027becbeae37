import Roost

enum EntryTitle {
    /// The maximum number of characters of a title that was found in the text, which may be any line of it.
    private static let maximumFoundLength = 200

    /// Returns the title on one line: the complete value of the metadata key `title` or, without this
    /// key, the title found in the text.
    ///
    /// - Parameters:
    ///   - content: The text of the entry.
    ///   - metadata: The metadata of the entry.
    ///   - form: The parts of a line that a title keeps.
    static func text(
        of content: String, metadata: [String: MetadataValue], as form: TextTitle.Form = .markdown
    ) -> String {
        let line =
            Entry.title(in: metadata).map { Terminal.line($0, limit: .max) }
            ?? found(TextTitle.title(of: content, as: form) ?? content)
        return line.isEmpty ? "(empty)" : line
    }

    /// Returns a title or heading that was found in a text, on one line.
    static func found(_ title: String) -> String {
        TextTitle.shortened(Terminal.line(title, limit: maximumFoundLength), to: maximumFoundLength)
    }

    static func text(of entry: Entry) -> String {
        text(of: entry.content, metadata: entry.metadata, as: entry.titleForm)
    }
}
