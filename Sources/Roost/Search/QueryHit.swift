public import Foundation
public import RoostModel

/// An entry that a search found.
public struct QueryHit: Sendable, Hashable, Identifiable {
    /// The entry.
    public var entry: Entry
    /// The evidence, by meaning and by words, relative to that of a text that equals the query: 0 for unrelated text,
    /// 1 for the same text. If the hits were re-ranked, the score of the re-ranker. Hits are ordered by it.
    public var score: Float = 0
    /// The cosine similarity of the query and the passage, even if the entry was found only by its words; 0
    /// for an entry without vectors, and in a search by words for which the model could not be used. In a
    /// search for a document or for entries, the similarity of the whole entry if it is higher, so that an
    /// equal text has the similarity 1 also if it has several passages.
    public var similarity: Float
    /// The passage of the entry that is nearest to the query, or the listed one
    /// (``EntrySearch/listsPassages``).
    public var passage: Passage
    /// The rank in the complete result, from 1; an offset does not change it.
    public var rank = 0
    /// The shares of the score, by the kind of match that contributed them.
    public var explanation = ScoreExplanation()
    /// The score by words (BM25F); `nil` if the entry contains none of the words, or words are not searched.
    public var textScore: Float?
    /// The storage's row of the entry, as the index states it; `nil` if no index found the entry.
    package internal(set) var row: UInt32?
    /// The evidence that the entry is related to the query, whatever else the store contains
    /// (``Relevance/closeness(of:coverage:)``).
    var closeness: Float = 0

    /// Whether the entry alone shows that a query has an answer.
    var isClose: Bool { closeness >= 1 }
    /// Whether the entry is listed if another one is close.
    var isRelated: Bool { closeness >= 0.25 }
    /// The id of the entry, which a result contains once unless it lists passages.
    public var id: Entry.ID { entry.id }
    /// The title of the entry (``RoostModel/Entry/title``).
    public var title: String? { entry.title }
    /// The location of the passage.
    ///
    /// - Complexity: O(length of the entry).
    public var location: HitLocation { entry.location(ofByte: passage.utf8Range.lowerBound) }

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

/// The shares of a hit's score, which add up to ``QueryHit/score``.
public struct ScoreExplanation: Sendable, Hashable, Encodable {
    /// The share that comes from the cosine similarity of the query and the nearest passage.
    public var passage: Float = 0
    /// The share that comes from the cosine similarity of the query and the embedding of the whole entry.
    public var entry: Float = 0
    /// The share that comes from the query's words in the body of the text.
    public var words: Float = 0
    /// The share that comes from the query's words in each of the other fields. Fields without a share are
    /// absent.
    public var fields: [TextField: Float] = [:]
    /// The share that comes from words that are adjacent both in the query and in the text.
    public var phrase: Float = 0

    /// Creates an explanation in which every share is 0.
    public init() {}

    package func scaled(by factor: Float) -> ScoreExplanation {
        var result = self
        result.passage *= factor
        result.entry *= factor
        result.words *= factor
        result.fields = fields.mapValues { $0 * factor }
        result.phrase *= factor
        return result
    }
}

/// The location of a passage, for display. All of it comes from the store; sources are not read.
public struct HitLocation: Sendable, Hashable, Codable {
    /// The id of the source; `nil` for an entry without a source.
    public var source: Source.ID?
    /// The path of the source; `nil` unless the source is a file.
    public var path: String?
    /// The number of the line in the source, from 1; `nil` if it is unknown.
    public var line: Int?
    /// The number of the page in the source, from 1; `nil` if it is unknown.
    public var page: Int?
    /// The headings above the passage, the outermost first: those that were recorded when the source was
    /// ingested, and those in the text of the entry.
    public var headings: [String]
}

extension Entry {
    /// The path of the source; `nil` if the entry did not come from a file.
    public var sourcePath: String? {
        guard let source, source.hasPrefix("file://") else { return nil }
        return URL(string: source)?.path
    }

    /// Returns the location of a UTF-8 byte of the content.
    ///
    /// - Complexity: O(byte).
    public func location(ofByte byte: Int) -> HitLocation {
        HitLocation(
            source: source, path: sourcePath, line: sourceLine(ofByte: byte), page: sourcePage(ofByte: byte),
            headings: (location?.headings ?? []) + (structure?.section(at: byte)?.headings ?? []))
    }

    /// Returns the number of the page of the source that contains a UTF-8 byte of the content, from 1; `nil`
    /// if it is unknown. In the content, form feeds separate pages.
    private func sourcePage(ofByte byte: Int) -> Int? {
        let formFeed = UInt8(ascii: "\u{0C}")
        return (location?.page).map { $0 + content.utf8.prefix(max(0, byte)).count { $0 == formFeed } }
    }
}
