package import Foundation

/// A text in the database of another program.
package struct ImportedText: Sendable, Hashable {
    /// The id of the text in the other program, unique in its collection.
    package var key: String
    package var text: String
    /// The values that the other program stores with the text.
    package var metadata: [String: MetadataValue]
    /// The time of the last change; `nil` if it is unknown.
    package var updatedAt: Date?

    package init(
        key: String, text: String, metadata: [String: MetadataValue] = [:], updatedAt: Date? = nil
    ) {
        (self.key, self.text, self.metadata, self.updatedAt) = (key, text, metadata, updatedAt)
    }
}

/// The texts of a collection in the database of another program.
package struct ImportedCollection: Sendable {
    package var name: String
    package var records: [ImportedText] = []
    /// The number of embeddings whose texts the database does not contain.
    package var recordsWithoutText = 0

    package init(name: String) { self.name = name }
}
