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
