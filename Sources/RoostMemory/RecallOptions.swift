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
    /// The number of best messages to skip before the first one of the result. Pages with different offsets
    /// fit together if ``candidates`` is at least the sum of limit and offset for each of them.
    package var offset = 0
    /// The minimum number of messages of the search that are ranked; `nil` for the default.
    package var candidates: Int?
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
    /// Whether the rarity of words is measured among the messages that the filter selects
    /// (`EntrySearch.countsOnlyVisible`), so that scores tell nothing about others.
    package var countsOnlyVisible = false
    /// The influence of the age of a message; `nil` if age has no influence.
    public var recency: Recency?
    /// Whether messages from a time that the query names get a higher score, or come first if the query names
    /// nothing else. Times are recognized in English, such as `on 7 July`, `in May 2023` or `yesterday`.
    public var readsTimes = true
    /// The time relative to which `yesterday` and the age of messages are determined; `nil` for the current
    /// time.
    public var now: Date?
    /// The time zone in which days begin and end.
    public var timeZone = TimeZone.current

    /// Creates options.
    public init(limit: Int = 10, context: Int = 1, tokenBudget: Int? = nil) {
        (self.limit, self.context, self.tokenBudget) = (limit, context, tokenBudget)
    }
}
