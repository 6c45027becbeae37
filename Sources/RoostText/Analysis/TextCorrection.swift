/// A word of a query that no text contains and that was replaced with a similar word.
public struct TextCorrection: Sendable, Hashable, Codable {
    /// The word in lower case as the query contains it.
    public var original: String
    /// The word that was searched for instead.
    public var corrected: String

    /// Creates a correction.
    public init(original: String, corrected: String) {
        (self.original, self.corrected) = (original, corrected)
    }
}
