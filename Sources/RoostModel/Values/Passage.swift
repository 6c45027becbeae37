/// A part of an entry that has its own vector. A search compares the query with passages, and returns entries
/// with their best passages.
public struct Passage: Sendable, Hashable {
    /// The number of the passage within its entry, starting at 0.
    public var ordinal: Int
    /// The range of the passage in the UTF-8 bytes of the entry's content.
    public var utf8Range: Range<Int>
    /// The number of tokens that the embedding model counts in the passage, from 0 to 2^31 - 1; 0 if unknown.
    /// Numbers outside of this range are replaced with its nearest bound, so sums of counts cannot overflow.
    public var tokenCount: Int {
        didSet { tokenCount = Self.clamped(tokenCount) }
    }
    /// The vector of the passage in the store's embedding space.
    public var vector: [Float]

    /// Creates a passage.
    public init(ordinal: Int, utf8Range: Range<Int>, tokenCount: Int = 0, vector: [Float]) {
        self.ordinal = ordinal
        self.utf8Range = utf8Range
        self.tokenCount = Self.clamped(tokenCount)
        self.vector = vector
    }

    private static func clamped(_ count: Int) -> Int { min(max(0, count), Int(Int32.max)) }
}
