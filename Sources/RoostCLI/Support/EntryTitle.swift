import Roost

/// The title of an entry for lists.
enum EntryTitle {
    /// Returns the title on one line: the value of the metadata key `title` or, if there is none, the title
    /// found in the text.
    ///
    /// - Parameters:
    ///   - content: The text of the entry.
    ///   - metadata: The metadata of the entry.
    ///   - form: The parts of a line that a title keeps.
    static func text(
        of content: String, metadata: [String: MetadataValue], as form: TextTitle.Form = .markdown
    ) -> String {
        let title = Entry.title(in: metadata) ?? TextTitle.title(of: content, as: form) ?? content
        let line = Terminal.line(TextTitle.shortened(title))
        return line.isEmpty ? "(empty)" : line
    }

    /// Returns the title of an entry.
    static func text(of entry: Entry) -> String {
        text(of: entry.content, metadata: entry.metadata, as: entry.titleForm)
    }
}
