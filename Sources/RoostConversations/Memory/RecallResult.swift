public import Roost

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
        self.recollections = recollections
        self.nearest = nearest
        self.search = search
        count = recollections.count
    }

    /// Whether messages were found, but none of them is closer to the query than unrelated text.
    public var hasOnlyNoise: Bool { recollections.isEmpty && !nearest.isEmpty }
}
