import Roost

/// A placeholder for a model that is not installed. With it, a store of that model can still be listed,
/// exported and compacted.
struct AbsentEmbedder: Embedder {
    let space: EmbeddingSpace
    /// The reason why the model cannot be opened; ``embed(_:as:)`` throws it.
    let reason: any Error
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        // If an ingest contains only known texts, there is nothing to embed, so it succeeds without the
        // model.
        guard texts.isEmpty else { throw reason }
        return Embeddings(
            vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}
