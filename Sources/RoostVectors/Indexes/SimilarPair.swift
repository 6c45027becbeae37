/// A pair of vectors whose inner product reaches the threshold of a near-duplicate search.
///
/// Pairs are ordered by descending similarity, and pairs of equal similarity by their indices.
struct SimilarPair: Comparable {
    var similarity: Float
    /// The lower index.
    var first: UInt32
    /// The higher index.
    var second: UInt32

    static func < (a: Self, b: Self) -> Bool {
        (b.similarity, a.first, a.second) < (a.similarity, b.first, b.second)
    }
}
