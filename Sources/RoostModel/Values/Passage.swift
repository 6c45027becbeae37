/// A part of an entry that has a vector of its own. Search is over passages; answers are entries with their
/// best passage.
public struct Passage: Sendable, Hashable {
    /// The passage's place among those of its entry, from 0.
    public var ordinal: Int
    /// The UTF-8 bytes of the entry's content that it covers.
    public var utf8Range: Range<Int>
    /// How many tokens of the model its text has; 0 where nobody counted.
    public var tokenCount: Int
    /// Its vector: unit length, in the store's embedding space.
    public var vector: [Float]

    public init(ordinal: Int, utf8Range: Range<Int>, tokenCount: Int = 0, vector: [Float]) {
        self.ordinal = ordinal
        self.utf8Range = utf8Range
        self.tokenCount = tokenCount
        self.vector = vector
    }
}
