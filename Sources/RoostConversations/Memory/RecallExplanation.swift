public import Roost

/// The shares of a recollection's score, which add up to ``Recollection/score``.
public struct RecallExplanation: Sendable, Hashable {
    /// The shares that come from the message itself. They are in proportion to those of ``Recollection/hit``,
    /// and their sum is the share of the message, not the score of the hit.
    public var message = ScoreExplanation()
    /// The share that comes from the relevance of the two preceding and the two following messages, as far as
    /// the search found them.
    public var neighbors: Float = 0
    /// The share that comes from a time that the query names, if the message is from that time.
    public var time: Float = 0
    /// The share that comes from the age of the message; 0 if ``RecallOptions/recency`` is `nil`. The weight
    /// of recency lowers the other shares.
    public var recency: Float = 0

    /// Creates an explanation in which every share is 0.
    public init() {}
}
