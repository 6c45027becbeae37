import RoostModel

/// The rules for metadata that tools write.
enum MetadataRules {
    /// The metadata key that marks messages of conversations. If a tool could set it, an entry would look
    /// like a message.
    private static let reservedKey = "kind"
    private static let maximumKeyLength = 200
    private static let maximumKeys = 64

    /// Checks metadata before it is stored.
    ///
    /// - Throws: ``ToolFailure`` that names the first problem.
    static func check(_ metadata: [String: JSONValue]) throws(ToolFailure) {
        guard metadata.count <= maximumKeys else {
            throw ToolFailure("'metadata' has more than \(maximumKeys) keys")
        }
        for key in metadata.keys.sorted() {
            guard !key.isEmpty, key.utf8.count <= maximumKeyLength else {
                throw ToolFailure("a key in 'metadata' must have 1 to \(maximumKeyLength) bytes")
            }
            guard key != reservedKey else {
                throw ToolFailure("the key '\(reservedKey)' in 'metadata' is reserved; use another key")
            }
        }
    }
}
