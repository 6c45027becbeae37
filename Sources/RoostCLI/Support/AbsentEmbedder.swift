import Roost

/// A placeholder for a model that is not installed: without it, a store can still be listed, exported and
/// compacted.
struct AbsentEmbedder: Embedder {
    let space: EmbeddingSpace
    /// The error that ``embed(_:as:)`` throws: the reason why the model cannot be opened.
    let reason: any Error
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        // An ingest of known texts only needs no embeddings, so it succeeds.
        guard texts.isEmpty else { throw reason }
        return Embeddings(
            vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}
