public import RoostModel

/// A group of near-duplicate entries. The similarity of any two of them reaches the threshold of the search.
public struct DuplicateGroup: Sendable, Hashable {
    /// Two or more entries, oldest first.
    public var entries: [Entry.ID]
    /// The cosine similarity of each entry with the first one.
    public var scores: [Float]

    /// Creates a group. Both arrays have the same count.
    public init(entries: [Entry.ID], scores: [Float]) {
        self.entries = entries
        self.scores = scores
    }
}
