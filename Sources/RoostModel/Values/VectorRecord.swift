package import Foundation

/// A text with a vector that another program computed.
package struct VectorRecord: Sendable, Hashable {
    /// The id of the text in the other program, unique in its collection.
    package var key: String
    package var text: String
    /// The vector, of any length and dimension; empty if there is none.
    package var vector: [Float]
    /// The values that the other program stores with the text.
    package var metadata: [String: MetadataValue]
    /// The time of the last change; `nil` if it is unknown.
    package var updatedAt: Date?

    /// Creates a record from its parts.
    package init(
        key: String, text: String, vector: [Float], metadata: [String: MetadataValue] = [:],
        updatedAt: Date? = nil
    ) {
        (self.key, self.text, self.vector) = (key, text, vector)
        (self.metadata, self.updatedAt) = (metadata, updatedAt)
    }
}
