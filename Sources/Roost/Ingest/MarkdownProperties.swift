import RoostDocuments
package import RoostModel

/// The tags and the metadata that an ingest of a Markdown text reads.
package struct MarkdownProperties {
    /// The tags of the front matter, and those in the text.
    package let tags: [String]
    /// The metadata, including the title.
    package let metadata: [String: MetadataValue]

    /// Reads the properties of a text.
    package init(of text: String) {
        let document = MarkdownReader.document(text)
        tags = document.tags
        metadata = DocumentDrafts.metadata(of: document)
    }

    /// Returns whether a key of front matter has tags as its value, such as `tags` and `Tag`.
    package static func isTagKey(_ key: String) -> Bool { MarkdownReader.isTagKey(key) }
}
