import RoostModel
import RoostText

/// The JSON form of a hit: the members that `roost query --json --explain --fold` prints for it.
struct HitJSON: Encodable {
    /// The location of the excerpt or, without an excerpt, of the passage.
    private struct Location: Encodable {
        var line: Int?
        var page: Int?
        var headings: [String]
    }

    private struct Part: Encodable {
        var ordinal: Int
        var line: Int?
        /// The start and the end in UTF-8 bytes of the content.
        var range: [Int]
        var text: String
    }

    private struct Excerpt: Encodable {
        var line: Int?
        var startLine: Int?
        var range: [Int]
        var text: String
        /// The positions of the matched words in ``text``.
        var marks: [[Int]]

        init(_ snippet: Snippet, of entry: Entry) {
            let start = snippet.utf8Range.lowerBound
            line = entry.sourceLine(ofByte: snippet.anchor)
            startLine = entry.sourceLine(ofByte: start)
            range = [start, snippet.utf8Range.upperBound]
            text = entry.text(in: snippet.utf8Range) ?? ""
            marks = snippet.highlights.map { [$0.lowerBound - start, $0.upperBound - start] }
        }
    }

    private struct Explanation: Encodable {
        struct Ranking: Encodable {
            var rank: Int
            var score: Float
        }

        var vector: Ranking?
        var text: Ranking?
        var shares: Shares
    }

    private struct Shares: Encodable {
        var passage: Float
        var entry: Float
        var words: Float
        var fields: [String: Float]
        var phrase: Float

        init(_ explanation: ScoreExplanation) {
            (passage, entry, words) = (explanation.passage, explanation.entry, explanation.words)
            fields = Dictionary(
                uniqueKeysWithValues: explanation.fields.map { ($0.key.rawValue, $0.value) })
            phrase = explanation.phrase
        }
    }

    private var rank: Int
    private var id: String
    private var score: Float
    private var similarity: Float
    private var fused: Float
    private var title: String?
    private var location: Location
    private var content: String
    private var metadata: [String: MetadataValue]
    private var tags: [String]
    private var source: String?
    private var path: String?
    private var passage: Part
    private var snippet: Excerpt?
    private var explanation: Explanation
    private var duplicates: [String]
    private var createdAt: String
    private var updatedAt: String

    /// Creates the form of a hit.
    ///
    /// - Parameter snippet: The excerpt that shows why the hit was found; `nil` to omit it.
    /// - Complexity: O(length of the entry).
    init(_ hit: QueryHit, _ snippet: Snippet? = nil) {
        let entry = hit.entry
        let range = hit.passage.utf8Range
        (rank, id, score) = (hit.rank, entry.id.text, hit.score)
        (similarity, fused, title) = (hit.similarity, hit.fused, hit.title)
        let found = entry.location(ofByte: snippet?.anchor ?? range.lowerBound)
        location = Location(line: found.line, page: found.page, headings: found.headings)
        (content, metadata, tags) = (entry.content, entry.metadata, entry.tags)
        (source, path) = (entry.source, entry.sourcePath)
        passage = Part(
            ordinal: hit.passage.ordinal, line: entry.sourceLine(ofByte: range.lowerBound),
            range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        self.snippet = snippet.map { Excerpt($0, of: entry) }
        explanation = Explanation(
            vector: hit.vectorRank.map { Explanation.Ranking(rank: $0, score: hit.similarity) },
            text: hit.textRank.map { Explanation.Ranking(rank: $0, score: hit.textScore ?? 0) },
            shares: Shares(hit.explanation))
        duplicates = hit.duplicates.map(\.text)
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
    }
}
