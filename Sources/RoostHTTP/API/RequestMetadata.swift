import RoostMCP
import RoostMemory
import RoostModel

/// The rules for metadata that requests write.
enum RequestMetadata {
    /// The key that marks messages of conversations. If a request could set it, an entry would look like a
    /// message.
    private static let reservedKey = "kind"
    /// The keys that determine the conversation of a message, and its place and author there.
    static let messageKeys: Set<String> = [
        "user", "session", "agent", "role", "number", "name", "speaker", "turn",
    ]

    /// Returns the metadata in a member of a JSON object.
    ///
    /// - Parameter prefix: The location of the object, for messages.
    /// - Throws: ``Problem`` if a key is reserved.
    static func values(of object: JSONValue, at prefix: String) throws(Problem) -> [String: JSONValue] {
        let values = object["metadata"]?.members ?? [:]
        guard values[reservedKey] == nil else {
            throw .invalid("the key '\(reservedKey)' in \(prefix).metadata is reserved; use another key")
        }
        return values
    }

    /// Refuses a change that would move a message to another conversation, place or author.
    ///
    /// - Throws: ``Problem`` if the entry is a message and the change has one of its keys.
    static func check(
        _ values: [String: JSONValue], changing id: Entry.ID, in snapshot: any StorageSnapshot
    ) async throws {
        guard let key = values.keys.filter(messageKeys.contains).min(),
            let entry = try await snapshot.entries([id]).first, RememberedMessage(entry) != nil
        else { return }
        throw Problem.invalid(
            "the key '\(key)' in body.metadata belongs to the message of a conversation and cannot be changed"
        )
    }
}
