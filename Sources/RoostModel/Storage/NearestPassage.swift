/// A passage that a ``PassageSearch`` found.
public struct NearestPassage: Sendable, Hashable {
    /// The entry of the passage.
    public var entry: Entry.ID
    /// The row of the entry.
    public var row: UInt32
    /// The ordinal of the passage in the entry.
    public var ordinal: Int
    /// The inner product of the vectors of the passage and the query.
    public var score: Float

    /// Creates a passage.
    public init(entry: Entry.ID, row: UInt32, ordinal: Int, score: Float) {
        (self.entry, self.row, self.ordinal, self.score) = (entry, row, ordinal, score)
    }
}
