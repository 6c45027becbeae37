/// A row that a search found, with its score.
public struct Neighbor: Sendable, Hashable {
    /// The number of the row in the index.
    public let row: UInt32
    /// The inner product with the query. For unit vectors this is the cosine, from -1 to 1 up to rounding.
    public let score: Float

    /// Creates a neighbor.
    public init(row: UInt32, score: Float) {
        self.row = row
        self.score = score
    }

    /// Returns whether this neighbor ranks before another. The higher score ranks first; of two equal scores,
    /// the one with the lower row.
    @inline(__always)
    package func precedes(_ other: Neighbor) -> Bool {
        score > other.score || (score == other.score && row < other.row)
    }
}
