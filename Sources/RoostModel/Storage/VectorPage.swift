public import RoostVectors

/// One page of vectors, in ascending order of their entries' rows.
public struct VectorPage: Sendable {
    /// The kind of vectors on a page.
    public enum Kind: Sendable, Hashable {
        /// One vector per entry: ``Entry/embeddings``.
        case entries
        /// One vector per passage: the vectors of ``Entry/searchablePassages``.
        case passages
    }

    /// The row of each vector's entry.
    public var rows: [UInt32]
    /// The id of each vector's entry.
    public var ids: [Entry.ID]
    /// The ordinal of each vector's passage; 0 for vectors of entries.
    public var ordinals: [UInt32]
    /// The vectors, one per row of the matrix. If the page has no vectors, the shape is (0, 0).
    public var vectors: Matrix
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    ///
    /// - Precondition: `rows`, `ids` and `ordinals` have one element per row of `vectors`.
    public init(rows: [UInt32], ids: [Entry.ID], ordinals: [UInt32], vectors: Matrix, next: UInt32?) {
        precondition(rows.count == vectors.rows && ids.count == rows.count && ordinals.count == rows.count)
        self.rows = rows
        self.ids = ids
        self.ordinals = ordinals
        self.vectors = vectors
        self.next = next
    }
}
