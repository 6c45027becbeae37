public import RoostModel
public import RoostText

/// An entry that a search found.
public struct QueryHit: Sendable, Hashable {
    /// The entry.
    public var entry: Entry
    /// The cosine similarity of the query and the passage, even if the entry was found only by its words; 0
    /// for an entry without vectors.
    public var score: Float
    /// The passage of the entry that is nearest to the query.
    public var passage: Passage
    /// The rank in the complete result, from 1; an offset does not change it.
    public var rank = 0
    /// The sum of `weight / (60 + rank)` over the lists that contain the entry (reciprocal rank fusion,
    /// Cormack, Clarke and Buettcher 2009). Hits are ordered by it if both lists are searched.
    public var fused: Float = 0
    /// The rank among the nearest vectors, from 1; `nil` if the entry is not among them.
    public var vectorRank: Int?
    /// The rank among the best entries by words, from 1; `nil` if the entry is not among them.
    public var textRank: Int?
    /// The BM25 score; `nil` if the entry was not found by words.
    public var textScore: Float?
    /// The near-duplicates of the entry that the search also found, best first.
    public var duplicates: [Entry.ID] = []
}

/// The result of a search.
public struct QueryResult: Sendable {
    /// The hits, best first. If hits are equally good, the one with the lower id comes first.
    public var hits: [QueryHit]
    /// The state of the store that was searched.
    public var stamp: Stamp
    /// The number of entries that match the filter, contain what the query requires and do not contain what
    /// it excludes.
    public var candidateCount: Int
    /// The number of tokens of the query that were ignored because it exceeds the model's maximum length.
    public var omittedTokens = 0
    /// Messages to the user about how the result was obtained.
    public var notices: [SearchNotice] = []
    /// The words that were searched for; `nil` for a search by vectors only.
    public internal(set) var text: TextQuery?
}

/// A message to the user about a search that succeeded, for example that a damaged index was not used.
public struct SearchNotice: Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public var message: String
    /// An action that removes the cause, if there is one.
    public var remedy: Remedy?

    /// Creates a notice.
    public init(_ message: String, remedy: Remedy? = nil) {
        self.message = message
        self.remedy = remedy
    }

    public var description: String { message }
}

extension QueryResult {
    /// Returns the excerpt of a hit's text that best shows why it was found, with the query's words
    /// highlighted.
    ///
    /// - Parameters:
    ///   - hit: A hit of this result.
    ///   - limit: The approximate maximum number of characters.
    /// - Complexity: O(length of the entry).
    public func snippet(of hit: QueryHit, limit: Int = 240) -> Snippet {
        Snippet(of: hit.entry.content, preferring: hit.passage.utf8Range, for: text, limit: limit)
    }
}

extension QueryHit {
    /// Returns the range of the entry's text that covers the hit's passage and its neighbors, as UTF-8
    /// offsets.
    ///
    /// - Parameter count: The number of neighboring passages on each side.
    public func context(_ count: Int) -> Range<Int> {
        let around = entry.passages.filter { abs($0.ordinal - passage.ordinal) <= count }.map(\.utf8Range)
        return (around + [passage.utf8Range]).reduce(passage.utf8Range) {
            min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
        }
    }
}
