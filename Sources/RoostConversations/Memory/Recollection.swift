public import Roost

/// A message that was recalled, with its context.
public struct Recollection: Sendable, Hashable {
    /// The message.
    public var message: RememberedMessage
    /// The relevance, from 0 to 1, by which recollections are ordered.
    public var score: Float
    /// The hit of the search that found the message. Its score is that of the message alone, without the
    /// influence of other messages and of times.
    public var hit: QueryHit
    /// The shares of the score that come from the message, its neighbors, a time that the query names, and
    /// the age of the message. They add up to ``score``. The JSON encoding omits them.
    public var explanation = RecallExplanation()
    /// The preceding messages in the same scope, oldest first. Messages that are themselves recollections, or
    /// that belong to the context of a better recollection, are omitted.
    public var before: [RememberedMessage] = []
    /// The following messages in the same scope, oldest first. The same messages are omitted as in
    /// ``before``.
    public var after: [RememberedMessage] = []

    /// Creates a recollection.
    public init(
        message: RememberedMessage, score: Float, hit: QueryHit,
        explanation: RecallExplanation = RecallExplanation(), before: [RememberedMessage] = [],
        after: [RememberedMessage] = []
    ) {
        self.message = message
        self.score = score
        self.hit = hit
        self.explanation = explanation
        self.before = before
        self.after = after
    }

    /// The cosine similarity of the query and the message.
    public var similarity: Float { hit.similarity }
}

extension Recollection: Identifiable {
    /// The id of the message.
    public var id: Entry.ID { message.id }
}

extension Recollection: Encodable {
    private enum CodingKeys: String, CodingKey {
        case message, score, similarity, title, location, before, after
    }

    /// Encodes the message with its score, title, location and context.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
        try container.encode(score, forKey: .score)
        try container.encode(similarity, forKey: .similarity)
        try container.encodeIfPresent(hit.title, forKey: .title)
        try container.encode(hit.location, forKey: .location)
        try container.encode(before, forKey: .before)
        try container.encode(after, forKey: .after)
    }
}
