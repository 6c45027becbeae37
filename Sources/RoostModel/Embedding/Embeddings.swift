public import RoostVectors

/// The result of embedding texts: their vectors, and the numbers of embedded and omitted tokens.
public struct Embeddings: Sendable, Hashable {
    /// One row per text, in the order of the texts.
    public var vectors: Matrix
    /// For each text, the number of embedded tokens, not counting special tokens; 0 if it is unknown.
    public var tokenCounts: [Int]
    /// For each text, the number of tokens that were omitted because they exceeded the limit of the model.
    public var omittedTokens: [Int]

    /// Creates the result of an embedding.
    ///
    /// - Parameters:
    ///   - vectors: One row per text.
    ///   - tokenCounts: For each text, the number of embedded tokens; `nil` if the numbers are unknown.
    ///   - omittedTokens: For each text, the number of omitted tokens; `nil` if none were omitted.
    /// - Precondition: `tokenCounts` and `omittedTokens` have one element per row of `vectors`.
    public init(vectors: Matrix, tokenCounts: [Int]? = nil, omittedTokens: [Int]? = nil) {
        let zeros = [Int](repeating: 0, count: vectors.rows)
        self.vectors = vectors
        self.tokenCounts = tokenCounts ?? zeros
        self.omittedTokens = omittedTokens ?? zeros
        precondition(vectors.rows == self.tokenCounts.count && vectors.rows == self.omittedTokens.count)
    }
}
