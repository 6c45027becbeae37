/// A message that was recalled, with its context.
public struct Recollection: Sendable, Hashable, Encodable {
    /// The message.
    public var message: RememberedMessage
    /// The relevance, from 0 to 1, by which recollections are ordered.
    public var score: Float
    /// The cosine similarity of the query and the message.
    public var similarity: Float
    /// The preceding messages in the same scope, oldest first. Messages that are themselves recollections, or
    /// that belong to the context of a better recollection, are omitted.
    public var before: [RememberedMessage] = []
    /// The following messages in the same scope, oldest first. The same messages are omitted as in
    /// ``before``.
    public var after: [RememberedMessage] = []
}
