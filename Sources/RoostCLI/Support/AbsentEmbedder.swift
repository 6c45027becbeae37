import Roost

/// Stands for a model that is not installed: a store can be looked at, exported and tidied up without it.
struct AbsentEmbedder: Embedder {
    let space: EmbeddingSpace
    /// Why it cannot be had: what whoever wants to embed is told.
    let reason: any Error
    let maximumTokens: Int? = nil

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        // Where every text was known, nothing is missed.
        guard texts.isEmpty else { throw reason }
        return Embeddings(
            vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
    }

    func tokenRanges(in text: String) -> [Range<Int>] { [] }
}
