/// A part of an entry with a separate vector. A search compares passages, and returns entries with their best
/// passage.
public struct Passage: Sendable, Hashable {
    /// The number of the passage in its entry, from 0.
    public var ordinal: Int
    /// The range of the passage in the UTF-8 bytes of the entry's content.
    public var utf8Range: Range<Int>
    /// The number of the model's tokens in the text of the passage; 0 if unknown.
    public var tokenCount: Int
    /// The vector of the passage in the store's embedding space.
    public var vector: [Float]

    /// Creates a passage.
    public init(ordinal: Int, utf8Range: Range<Int>, tokenCount: Int = 0, vector: [Float]) {
        self.ordinal = ordinal
        self.utf8Range = utf8Range
        self.tokenCount = tokenCount
        self.vector = vector
    }
}
