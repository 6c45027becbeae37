import RoostModel
import RoostVectors

/// Compares vectors of unknown origin with the vectors of a store's model.
struct VectorComparison {
    let store: KnowledgeStore

    /// The number of texts that are embedded for a comparison.
    static let sampleSize = 8
    /// The minimum cosine similarity of a vector and that of the store's model. Vectors of the same model
    /// differ only by rounding, and by the precision of its weights.
    private static let minimumSimilarity: Float = 0.98

    /// Returns whether two lists contain nearly the same vectors in the same order.
    static func agree(_ left: [[Float]], _ right: [[Float]]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { left, right in
                let similarity = zip(normalized(left), normalized(right)).reduce(0) { $0 + $1.0 * $1.1 }
                return similarity >= minimumSimilarity
            }
    }

    /// Returns whether the vectors of entries belong to the store's embedding space: they have its dimension,
    /// and the store's model computes nearly the same vectors for the shortest texts.
    ///
    /// - Throws: `EmbedderError`; `CancellationError`.
    func matches(_ entries: [Entry]) async throws -> Bool {
        let dimension = store.embedder.space.dimension
        let complete = entries.filter { !$0.embeddings.isEmpty }
        guard !complete.isEmpty, complete.allSatisfy({ $0.embeddings.count == dimension }) else {
            return false
        }
        func key(_ entry: Entry) -> (Int, String) { (entry.content.utf8.count, entry.id.text) }
        let sample = complete.sorted { key($0) < key($1) }.prefix(Self.sampleSize)
        let bare = sample.map { entry in
            var entry = entry
            (entry.embeddings, entry.passages) = ([], [])
            return entry
        }
        var report = IngestReport()
        let own = try await store.entryEmbedder.embed(bare, reusing: nil, &report)
        return Self.agree(sample.map(\.embeddings), own.map(\.embeddings))
    }
}
