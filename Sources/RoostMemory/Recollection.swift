/// A message that was recalled, with its context.
public struct Recollection: Sendable, Hashable, Encodable {
    /// The message.
    public var message: RememberedMessage
    /// The score, from 0 to about 1. It is comparable only within one result.
    public var score: Float
    /// The cosine of the query with the message.
    public var similarity: Float
    /// The messages before it in its scope, oldest first. Messages that are recollections themselves, or the
    /// context of a better one, are omitted.
    public var before: [RememberedMessage] = []
    /// The messages after it in its scope, oldest first, with the same omissions.
    public var after: [RememberedMessage] = []
}
