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
                // The vector of a text without words is zero in some models.
                return similarity >= minimumSimilarity || left == right
            }
    }

    /// Returns whether the vectors of an archive belong to the store's embedding space: they have its
    /// dimension, and the store's model computes nearly the same vectors for the shortest texts. They do not
    /// belong to it if the model cannot be used now.
    ///
    /// - Throws: `CancellationError`.
    func matches(_ archive: VectorSample) async throws -> Bool {
        guard archive.dimensions == [store.embedder.space.dimension] else { return false }
        let sample = archive.entries
        let bare = sample.map { entry in
            var entry = entry
            (entry.embeddings, entry.passages) = ([], [])
            return entry
        }
        var report = IngestReport()
        let own: [Entry]
        do {
            own = try await store.entryEmbedder.embed(bare, reusing: nil, &report)
        } catch let error as CancellationError {
            throw error
        } catch {
            return false
        }
        guard Self.agree(sample.map(\.embeddings), own.map(\.embeddings)) else { return false }
        return zip(sample, own).allSatisfy { entry, own in
            entry.passages.count != own.passages.count
                || Self.agree(entry.passages.map(\.vector), own.passages.map(\.vector))
        }
    }
}
