public import Foundation
public import Roost
import RoostModel

/// Options for recalling messages.
public struct RecallOptions: Sendable, Hashable {
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
    /// The time zone of the dates that the query names, such as `7 July` or `May 2023`. Messages from such a
    /// date get a higher score.
    public var timeZone = TimeZone.current

    /// Creates options.
    public init(limit: Int = 10, context: Int = 1, tokenBudget: Int? = nil) {
        (self.limit, self.context, self.tokenBudget) = (limit, context, tokenBudget)
    }
}

/// The result of a search of a memory.
public struct RecallResult: Sendable {
    /// The messages, best first. Unless ``RecallOptions/includesAll`` is set, the result contains only
    /// messages from the dates that the query names if no message is closer to the query than unrelated text.
    public var recollections: [Recollection]
    /// The three best messages, without context, if they were omitted because none of them is close to the
    /// query. Otherwise empty.
    public var nearest: [Recollection] = []
    /// The result of the search by which the messages were found, without its hits. It contains the words
    /// that were searched for, their corrections, and messages to the user.
    public var search: QueryResult
    /// The number of messages that all pages of the result have together.
    package internal(set) var count = 0
    /// Whether the search found more messages that may answer the query than were ranked.
    package internal(set) var isCut = false

    /// Creates a result with one page.
    public init(recollections: [Recollection], nearest: [Recollection] = [], search: QueryResult) {
        (self.recollections, self.nearest, self.search) = (recollections, nearest, search)
        count = recollections.count
    }

    /// Whether messages were found, but none of them is closer to the query than unrelated text.
    public var hasOnlyNoise: Bool { recollections.isEmpty && !nearest.isEmpty }
}

extension RecallResult: CustomStringConvertible {
    /// The number of messages, and the best of them, on at most ten lines.
    public var description: String {
        ReportText.list(
            hasOnlyNoise
                ? "no message is close to the query; the nearest are"
                : Count.text(recollections.count, "message"),
            (hasOnlyNoise ? nearest : recollections).map(\.description))
    }
}

/// A message that was recalled, with its context.
public struct Recollection: Sendable, Hashable {
    /// The message.
    public var message: RememberedMessage
    /// The relevance, from 0 to 1, by which recollections are ordered.
    public var score: Float
    /// The hit of the search that found the message. Its score is that of the message alone, without the
    /// influence of other messages and of times.
    public var hit: QueryHit
    /// The shares of the score that come from the message, its neighbors, and a time that the query names. They
    /// add up to ``score``. The JSON encoding omits them.
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
        (self.message, self.score, self.hit, self.explanation) = (message, score, hit, explanation)
        (self.before, self.after) = (before, after)
    }

    /// The cosine similarity of the query and the message.
    public var similarity: Float { hit.similarity }
}

extension Recollection: CustomStringConvertible {
    /// The score, and the beginning of the message.
    public var description: String {
        ReportText.line("\((100 * score).rounded() / 100)  \(message.content)")
    }
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

    /// Creates an explanation in which every share is 0.
    public init() {}
}

struct RecallWeight {
    var relevance: Float
    var neighbors: Float
    /// The bonus for a message from a date that the query names.
    var time: Float = 0

    var sum: Float { relevance + neighbors + time }

    mutating func scale(by factor: Float) {
        relevance *= factor
        neighbors *= factor
        time *= factor
    }

    /// Returns the shares of the score of a recollection with this weight. The score is not linear in the
    /// weight, so each part has the share of the score that it has of the weight.
    func explanation(of recollection: Recollection) -> RecallExplanation {
        var result = RecallExplanation()
        guard sum > 0 else { return result }
        let factor = recollection.score / sum
        let hit = recollection.hit
        if hit.score > 0 { result.message = hit.explanation.scaled(by: relevance * factor / hit.score) }
        result.neighbors = neighbors * factor
        result.time = time * factor
        return result
    }
}
