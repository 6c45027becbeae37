import RoostFiles

/// A model that reads a query together with each passage, which is slower and more exact than the comparison of
/// their vectors.
public protocol Reranker: Sendable {
    /// Returns how well each passage answers a query: one number from 0 to 1 per passage.
    ///
    /// The method may be called for several queries at the same time.
    ///
    /// - Parameters:
    ///   - passages: The texts to compare. A text beyond the model's limit is truncated.
    ///   - query: The query.
    /// - Throws: ``EmbedderError``; `CancellationError`.
    func scores(of passages: [String], for query: String) async throws -> [Float]
}

extension Reranker {
    /// Returns the scores of passages, one per passage.
    ///
    /// - Throws: The errors of ``scores(of:for:)``; ``EmbedderError`` with `.badAnswer` for another number of
    ///   scores, or for one that is not finite.
    package func checkedScores(of passages: [String], for query: String) async throws -> [Float] {
        guard !passages.isEmpty else { return [] }
        let scores = try await scores(of: passages, for: query)
        guard scores.count == passages.count, scores.allSatisfy(\.isFinite) else {
            throw EmbedderError(
                .badAnswer,
                "cannot re-rank \(Count.text(passages.count, "passage")): the model returned "
                    + "\(Count.text(scores.count, "score")), or one that is not finite")
        }
        return scores
    }
}
