public import RoostVectors

/// The result of embedding texts: their vectors, and the numbers of embedded and omitted tokens.
public struct Embeddings: Sendable, Hashable {
    /// One row per text, in the order of the texts.
    public var vectors: Matrix
    /// For each text, the number of embedded tokens, not counting special tokens.
    public var tokenCounts: [Int]
    /// For each text, the number of tokens that were omitted because they exceeded the limit of the model.
    public var omittedTokens: [Int]

    /// Creates the result of an embedding.
    ///
    /// - Precondition: `tokenCounts` and `omittedTokens` have one element per row of `vectors`.
    public init(vectors: Matrix, tokenCounts: [Int], omittedTokens: [Int]) {
        precondition(vectors.rows == tokenCounts.count && vectors.rows == omittedTokens.count)
        self.vectors = vectors
        self.tokenCounts = tokenCounts
        self.omittedTokens = omittedTokens
    }
}
