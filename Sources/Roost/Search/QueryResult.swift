public import Foundation
public import RoostModel
import RoostText

/// How entries are found.
public enum SearchMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// By meaning and by words, both lists fused by their ranks.
    case hybrid
    /// By the cosine of vectors alone. The text of a query is taken as it is, signs and all.
    case vector
    /// By words alone (BM25).
    case text
}

/// How to search.
public struct QueryOptions: Sendable, Hashable {
    public var mode = SearchMode.hybrid
    /// The most hits.
    public var limit = 10
    /// How many of the best are passed over.
    public var offset = 0
    /// Hits with a lower cosine are left out, also of those that words found.
    public var minimumScore: Float?
    /// Applied before the cut.
    public var filter = EntryFilter.all
    /// Whether every vector is compared. Otherwise large stores are searched by a graph, where they have one,
    /// which finds nearly all of what is nearest.
    public var isExact = false
    /// How much a place in the list of nearest vectors counts, and one in the list of best words.
    public var (vectorWeight, textWeight): (Float, Float) = (1, 1)
    /// From 0 to 1: how much it counts that hits differ from those before them (maximal marginal relevance,
    /// Carbonell and Goldstein 1998). `nil` and 0: not at all.
    public var diversity: Float?
    /// Entries whose embeddings have at least this cosine with those of a better hit are not hits of their
    /// own but its ``QueryHit/duplicates``. `nil`: every entry is a hit of its own.
    public var duplicateThreshold: Float?

    public init(limit: Int = 10, minimumScore: Float? = nil, filter: EntryFilter = .all) {
        self.limit = limit
        self.minimumScore = minimumScore
        self.filter = filter
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.mode == right.mode && left.limit == right.limit && left.offset == right.offset
            && left.minimumScore == right.minimumScore && left.filter == right.filter
            && left.isExact == right.isExact && left.vectorWeight == right.vectorWeight
            && left.textWeight == right.textWeight && left.diversity == right.diversity
            && left.duplicateThreshold == right.duplicateThreshold
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(mode)
        hasher.combine(limit)
        hasher.combine(filter)
    }
}

/// An entry that was found.
public struct QueryHit: Sendable, Hashable {
    public var entry: Entry
    /// The cosine of the query with the passage, also where only words found the entry; 0 where it has no
    /// vector.
    public var score: Float
    /// The passage that is nearest to the query.
    public var passage: Passage
    /// The place in the answer, from 1; those that an offset passed over count.
    public var rank = 0
    /// The sum over the lists that the entry is in of their weight / (60 + place in the list), by which the
    /// hits are ordered where both lists are asked (Cormack, Clarke and Buettcher 2009).
    public var fused: Float = 0
    /// The place among the nearest vectors, from 1; `nil` where it is not among them.
    public var vectorRank: Int?
    /// The place among the best by words, from 1; `nil` where it is not among them.
    public var textRank: Int?
    /// The BM25 score of its words.
    public var textScore: Float?
    /// Nearly the same entries that were found too, best first.
    public var duplicates: [Entry.ID] = []
}

/// What a query found.
public struct QueryResult: Sendable {
    /// Best first; of equal ones the lower id first.
    public var hits: [QueryHit]
    /// The state of the store that was searched.
    public var stamp: Stamp
    /// How many entries met the filter, and had what the query requires; of a search without either all.
    public var candidateCount: Int
    /// How many tokens of the query's text were left out because the model's limit was reached.
    public var omittedTokens = 0
    /// What people should know of how it was found: a damaged index that was left out, say.
    public var notices: [String] = []
    /// The words that were looked for; `nil` of a search by vectors alone.
    public internal(set) var text: TextQuery?
}

extension QueryResult {
    /// The part of a hit's text that shows best why it was found, with its words marked.
    ///
    /// - Parameter limit: the most characters, about.
    /// - Complexity: O(length of the entry).
    public func snippet(of hit: QueryHit, limit: Int = 240) -> Snippet {
        Snippet(of: hit.entry.content, preferring: hit.passage.utf8Range, for: text, limit: limit)
    }
}

extension QueryHit {
    /// The passage with those around it in the entry.
    ///
    /// - Parameter count: how many on each side.
    public func context(_ count: Int) -> Range<Int> {
        let around = entry.passages.filter { abs($0.ordinal - passage.ordinal) <= count }.map(\.utf8Range)
        return (around + [passage.utf8Range]).reduce(passage.utf8Range) {
            min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
        }
    }
}
