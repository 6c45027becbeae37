import RoostModel

/// The keys of the metadata that an ingest derives from documents.
package enum DocumentKey {
    package static let title = "title"
    /// Other names of the document, as an array of texts.
    package static let aliases = "aliases"
    /// The targets of the document's links, as an array of texts.
    package static let links = "links"
    /// The parts that could not be read, as an array of messages.
    package static let unreadParts = "unreadParts"

    package static let all = [title, aliases, links, unreadParts]
    /// The prefix of a document's own key that equals one of the keys.
    package static let prefix = "document."

    /// The key that marks messages of conversations, and the value that does so.
    package static let kind = "kind"
    package static let messageKind = "message"

    /// Returns whether a value would mark an entry as a message of a conversation.
    package static func marksMessage(_ key: String, _ value: MetadataValue) -> Bool {
        key == kind && value.comparableTexts.contains(messageKind)
    }

    /// Returns the metadata of a document or row with another key in place of one that would mark it as a
    /// message of a conversation. Agents search for messages separately, so they would not find it.
    static func withoutMessageMark(_ metadata: [String: MetadataValue]) -> [String: MetadataValue] {
        guard let value = metadata[kind], marksMessage(kind, value) else { return metadata }
        var metadata = metadata
        metadata[kind] = nil
        var name = prefix + kind
        while metadata[name] != nil { name = prefix + name }
        metadata[name] = value
        return metadata
    }
}
