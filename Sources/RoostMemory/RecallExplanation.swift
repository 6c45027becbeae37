public import Roost

/// The shares of a recollection's score, which add up to ``Recollection/score``.
public struct RecallExplanation: Sendable, Hashable {
    /// The shares that come from the message itself. They are in proportion to those of the search's hit.
    public var message = ScoreExplanation()
    /// The share that comes from the relevance of the preceding and following messages.
    public var neighbors: Float = 0
    /// The share that comes from a time that the query names, if the message is from that time.
    public var time: Float = 0
    /// The share that comes from the age of the message, for ``RecallOptions/recency``.
    public var recency: Float = 0

    /// Creates an explanation in which every share is 0.
    public init() {}
}
