public import RoostModel

/// An entry that a search found.
public struct QueryHit: Sendable, Hashable {
    /// The entry.
    public var entry: Entry
    /// The relevance, from 0 for unrelated text to 1 for an exact match. Hits are ordered by it, unless
    /// ``EntrySearch/diversity`` is set.
    public var score: Float = 0
    /// The cosine similarity of the query and the passage, even if the entry was found only by its words; 0
    /// for an entry without vectors, and in a search by words for which the model could not be used. In a
    /// search for a document or for entries, the similarity of the whole entry if it is higher, so that an
    /// equal text has the similarity 1 also if it has several passages.
    public var similarity: Float
    /// The passage of the entry that is nearest to the query.
    public var passage: Passage
    /// The rank in the complete result, from 1; an offset does not change it.
    public var rank = 0
    /// The shares of the score, by the kind of match that contributed them.
    public var explanation = ScoreExplanation()
    /// The score by words (BM25F); `nil` if the entry contains none of the words, or words are not searched.
    public var textScore: Float?
    /// The near-duplicates of the entry that the search also found, best first.
    public var duplicates: [Entry.ID] = []
    /// The storage's row of the entry, as the index states it; `nil` if no index found the entry.
    package internal(set) var row: UInt32?
    /// The evidence relative to that of an exact match, from 0 to 1.
    package internal(set) var relativeEvidence: Float = 0
    /// Whether the entry is closer to the query than noise (``Relevance/isClose(passage:entry:)``), or
    /// contains all of its words.
    var isClose = false

    /// Creates a hit, for example for a preview. The other properties can be set afterwards.
    ///
    /// - Parameter passage: The passage that is nearest to the query; `nil` for the whole text.
    public init(entry: Entry, score: Float = 0, similarity: Float = 0, passage: Passage? = nil) {
        self.entry = entry
        self.score = score
        self.similarity = similarity
        self.passage =
            passage ?? Passage(ordinal: 0, utf8Range: 0..<entry.content.utf8.count, vector: [])
    }
}

extension QueryHit: Identifiable {
    /// The id of the entry, which a result contains once.
    public var id: Entry.ID { entry.id }
}

extension QueryHit {
    /// Returns the score for an amount of evidence relative to that of an exact match.
    package static func score(ofRelativeEvidence evidence: Float) -> Float {
        Relevance.score(ofRelativeEvidence: evidence)
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
