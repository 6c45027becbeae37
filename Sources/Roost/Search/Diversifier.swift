import RoostVectors

/// The step that orders hits so that each is relevant and different from those before it (maximal marginal
/// relevance, Carbonell and Goldstein 1998).
struct Diversifier: Sendable {
    /// The weight, from 0 to 1, of a hit's difference from the hits before it. The weight of its relevance is
    /// 1 minus this value.
    let weight: Float

    /// A hit that has not been selected yet.
    private struct Rest {
        var hit: QueryHit
        var relevance: Float
        /// The maximum cosine similarity with a selected hit.
        var similarity: Float
    }

    /// Selects hits one after another.
    ///
    /// - Parameters:
    ///   - hits: The hits to select from.
    ///   - count: The maximum number of hits to select.
    /// - Returns: The selected hits, in their new order.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(count · hits · dimension).
    func select(from hits: [QueryHit], count: Int) throws -> [QueryHit] {
        // Relevance and cosines are added, so scores are scaled to the range of cosines.
        let maximumScore = max(hits.map(\.score).max() ?? 0, .leastNormalMagnitude)
        let scale = max(0, hits.map(\.similarity).max() ?? 0) / maximumScore
        var rest = hits.map { Rest(hit: $0, relevance: $0.score * scale, similarity: 0) }
        var chosen: [QueryHit] = []
        while chosen.count < count, !rest.isEmpty {
            try Task.checkCancellation()
            func value(_ index: Int) -> Float {
                (1 - weight) * rest[index].relevance - weight * rest[index].similarity
            }
            let best = rest.indices.max { (value($0), $1) < (value($1), $0) } ?? 0
            let hit = rest.remove(at: best).hit
            chosen.append(hit)
            for index in rest.indices {
                rest[index].similarity = max(rest[index].similarity, Self.cosine(rest[index].hit, hit))
            }
        }
        return chosen
    }

    private static func cosine(_ first: QueryHit, _ second: QueryHit) -> Float {
        let (a, b) = (first.passage.vector, second.passage.vector)
        return a.count == b.count ? innerProduct(a, b) : 0
    }
}
