public import Foundation
public import Roost

/// Options for recalling messages.
public struct RecallOptions: Sendable, Hashable {
    /// The influence of the age of a message on its score.
    public struct Recency: Sendable, Hashable {
        /// The weight of the age in the score, from 0 to 1.
        public var weight: Float
        /// The age in seconds at which a message gets half of the age score of a new message.
        public var halfLife: TimeInterval

        /// Creates a setting for the influence of age. The default half-life is a week.
        public init(weight: Float = 0.25, halfLife: TimeInterval = 7 * 86_400) {
            (self.weight, self.halfLife) = (weight, halfLife)
        }
    }

    /// The maximum number of recalled messages, not counting their context.
    public var limit = 10
    /// The number of best messages to skip before the first one of the result.
    package var offset = 0
    /// The number of messages before and after each message that are returned as its context.
    public var context = 1
    /// The maximum number of tokens of all returned messages, as the embedding model counts them; `nil` for
    /// no limit. The best messages come first, each followed by its context.
    public var tokenBudget: Int?
    /// Whether to search by meaning, by words, or both.
    public var mode = SearchMode.hybrid
    /// Whether messages are returned even if none of them is closer to the query than unrelated text.
    public var includesAll = false
    /// Whether words are searched for exactly as the query spells them, apart from inflection
    /// (`EntrySearch.usesExactWords`).
    public var usesExactWords = false
    /// The influence of the age of a message; `nil` if age has no influence.
    public var recency: Recency?
    /// The time relative to which the age of messages is determined; `nil` for the current time.
    public var now: Date?
    /// The time zone of the dates that the query names, such as `7 July` or `May 2023`. Messages from such a
    /// date get a higher score.
    public var timeZone = TimeZone.current

    /// Creates options.
    public init(limit: Int = 10, context: Int = 1, tokenBudget: Int? = nil) {
        (self.limit, self.context, self.tokenBudget) = (limit, context, tokenBudget)
    }
}
