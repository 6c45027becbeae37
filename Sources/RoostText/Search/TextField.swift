/// A part of an entry whose words are weighed separately.
public enum TextField: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable {
    /// The title: the metadata `title`, or that of the text's front matter or first heading.
    case title
    /// The headings.
    case headings
    /// The path of the source and the key of the entry in it.
    case path
    /// The tags.
    case tags
    /// The text.
    case body
}
