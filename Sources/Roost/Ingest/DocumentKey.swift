/// The keys of the metadata that an ingest derives from documents.
package enum DocumentKey {
    /// The title that the document states.
    package static let title = "title"
    /// Other names of the document, as an array of texts.
    package static let aliases = "aliases"
    /// The targets of the document's links, as an array of texts.
    package static let links = "links"
    /// The parts that could not be read, as an array of messages.
    package static let unreadParts = "unreadParts"
    /// The format of the text, if the name of the file does not determine it.
    package static let format = "textFormat"

    /// All keys.
    package static let all = [title, aliases, links, unreadParts, format]
    /// The prefix of a document's own key that equals one of the keys.
    package static let prefix = "document."
}
