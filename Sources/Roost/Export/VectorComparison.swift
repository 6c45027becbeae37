import RoostModel
import RoostVectors

/// Compares vectors of unknown origin with the vectors of a store's model.
struct VectorComparison {
    let store: KnowledgeStore

    /// The number of texts that are embedded for a comparison.
    static let sampleSize = 8
    /// The number of consecutive entries of which at least one is compared. Files without a header can be
    /// joined, so the vectors of one part say little about another one.
    private static let partSize = 64
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

    /// Returns whether the vectors of entries belong to the store's embedding space: they have its dimension,
    /// and the store's model computes nearly the same vectors for the shortest texts. They do not belong to
    /// it if the model cannot be used now.
    ///
    /// - Throws: `CancellationError`.
    func matches(_ entries: [Entry]) async throws -> Bool {
        let dimension = store.embedder.space.dimension
        let complete = entries.filter { !$0.embeddings.isEmpty }
        guard !complete.isEmpty, complete.allSatisfy({ $0.embeddings.count == dimension }) else {
            return false
        }
        let sample = Self.sample(of: complete)
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

    /// Returns the shortest entries of all, and the shortest one of each part of a long list.
    private static func sample(of entries: [Entry]) -> [Entry] {
        func shortest(_ entries: ArraySlice<Entry>, _ count: Int) -> ArraySlice<Entry> {
            func key(_ entry: Entry) -> (Int, String) { (entry.content.utf8.count, entry.id.text) }
            return entries.sorted { key($0) < key($1) }.prefix(count)
        }
        guard entries.count > partSize else { return Array(shortest(entries[...], sampleSize)) }
        return stride(from: 0, to: entries.count, by: partSize).flatMap { start in
            shortest(entries[start..<min(entries.count, start + partSize)], 1)
        }
    }
}
