/// The role of an embedded text. Some models add different prefixes to queries and to documents.
public enum TextRole: Sendable, Hashable {
    /// The text is a search query.
    case query
    /// The text is stored, to be found by searches.
    case document
}
