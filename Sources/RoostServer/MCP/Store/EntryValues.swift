import Roost
import RoostConversations
package import RoostModel

/// Reads and checks the tags and the metadata that a client gives an entry.
package enum EntryValues {
    /// The key that marks messages of conversations. If a client could set it, an entry would look like a
    /// message.
    private static let reservedKey = "kind"
    /// The keys that determine the conversation of a message, and its position and author there.
    private static let messageKeys: Set = [
        "user", "session", "agent", "role", "number", "name", "speaker", "turn",
    ]

    /// Returns the tags in a member of an object.
    ///
    /// - Throws: ``ToolFailure`` if a tag is empty or contains a line break or another control character.
    package static func newTags(in values: JSONValue, _ name: String) throws(ToolFailure) -> [String] {
        let tags = values.strings(name)
        guard tags.allSatisfy(TagName.isValid) else {
            throw ToolFailure(
                "'\(name)' contains a tag that is empty, or has a line break or another control character")
        }
        return TagName.distinct(tags)
    }

    /// Returns the metadata in the member `metadata` of an object.
    ///
    /// - Throws: ``ToolFailure`` if a key is empty or reserved.
    package static func metadata(in values: JSONValue) throws(ToolFailure) -> [String: JSONValue] {
        let metadata = values["metadata"]?.members ?? [:]
        guard metadata[""] == nil else { throw ToolFailure("a key in 'metadata' is empty") }
        guard metadata[reservedKey] == nil else {
            throw ToolFailure("the key '\(reservedKey)' in 'metadata' is reserved; use another key")
        }
        return metadata
    }

    /// Refuses a change that would move a message to another conversation, position or author.
    ///
    /// - Throws: ``ToolFailure`` if the entry is a message and the change has one of its keys.
    package static func check(
        _ metadata: [String: JSONValue], changing id: Entry.ID, in snapshot: any StorageSnapshot
    ) async throws {
        guard let key = metadata.keys.filter(messageKeys.contains).min(),
            let entry = try await snapshot.entries([id]).first, RememberedMessage(entry) != nil
        else { return }
        throw ToolFailure(
            "the key '\(key)' in 'metadata' belongs to the message of a conversation and cannot be changed")
    }
}
