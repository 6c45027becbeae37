/// The shares of a hit's score, which add up to ``QueryHit/score``.
public struct ScoreExplanation: Sendable, Hashable {
    /// The share that comes from the cosine similarity of the query and the nearest passage.
    public var passage: Float = 0
    /// The share that comes from the cosine similarity of the query and the embedding of the whole entry.
    public var entry: Float = 0
    /// The share that comes from the query's words in the body of the text.
    public var words: Float = 0
    /// The share that comes from the query's words in each of the other fields. Fields without a share are
    /// absent.
    public var fields: [TextField: Float] = [:]
    /// The share that comes from words that are adjacent both in the query and in the text.
    public var phrase: Float = 0

    /// Creates an explanation in which every share is 0.
    public init() {}

    /// Returns an explanation in which every share is multiplied by a factor.
    package func scaled(by factor: Float) -> ScoreExplanation {
        var result = self
        result.passage *= factor
        result.entry *= factor
        result.words *= factor
        result.fields = fields.mapValues { $0 * factor }
        result.phrase *= factor
        return result
    }
}
