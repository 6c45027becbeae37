/// A word of a query that was replaced with a similar word of the store, or searched for together with it.
public struct TextCorrection: Sendable, Hashable, Codable {
    /// The word in the query, as the user entered it.
    public var original: String
    /// The word that was searched for, in lower case.
    public var corrected: String
    /// Whether the store does not contain the original word. Otherwise a few entries contain it, and both
    /// words were searched for.
    public var isUnknown: Bool

    /// Creates a correction.
    public init(original: String, corrected: String, isUnknown: Bool = true) {
        self.original = original
        self.corrected = corrected
        self.isUnknown = isUnknown
    }
}
