import Foundation
import Roost

/// The JSON output for a hit.
struct HitDocument: Encodable {
    struct Part: Encodable {
        var ordinal: Int
        /// The line in the source file, from 1; `nil` if it is unknown.
        var line: Int?
        /// The part's position in the entry's content: a range of UTF-8 bytes.
        var range: [Int]
        var text: String
    }

    /// The part of the entry that is shown, with the words that matched.
    struct Excerpt: Encodable {
        /// The line of the file with the most informative of the matched words, from 1, as in `path:line`
        /// of the text format. The excerpt can begin on an earlier line.
        var line: Int?
        /// The line of the file on which `text` begins, from 1.
        var startLine: Int?
        /// The excerpt's position in the entry's content: a range of UTF-8 bytes.
        var range: [Int]
        var text: String
        /// The positions of the matched words in `text`: ranges of UTF-8 bytes.
        var marks: [[Int]]
    }

    /// The shares of the score, and the rank and score of the hit in the vector search and in the text
    /// search.
    struct Explanation: Encodable {
        /// The parts of the score, which add up to it.
        struct Shares: Encodable {
            var passage: Float
            var entry: Float
            var words: Float
            var fields: [String: Float]
            var phrase: Float
            /// Further shares of a recalled message; `nil` for other hits.
            var neighbors: Float?
            var time: Float?
            var recency: Float?
        }

        struct Ranking: Encodable {
            var rank: Int
            var score: Float
        }

        var vector: Ranking?
        var text: Ranking?
        var shares: Shares
    }

    /// The passages around the matched passage, for `--context`.
    struct Context: Encodable {
        /// The position of the passages in the entry's content: a range of UTF-8 bytes.
        var range: [Int]
        var text: String
    }

    /// The location of the excerpt in the source.
    struct Location: Encodable {
        /// The line of the first matched word, from 1; `nil` if it is unknown.
        var line: Int?
        var page: Int?
        /// The headings above the excerpt, the outermost first.
        var headings: [String]
    }

    var rank: Int
    var id: String
    /// The relevance, from 0 to 1, by which hits are ordered.
    var score: Float
    /// The cosine similarity of the query and the passage.
    var similarity: Float
    /// Kept for one release; see `score`.
    var fused: Float
    var title: String?
    var location: Location
    var content: String
    var metadata: [String: MetadataValue]
    var tags: [String]
    var source: String?
    var path: String?
    var passage: Part
    var snippet: Excerpt
    var context: Context?
    var explanation: Explanation?
    var duplicates: [String]?
    var createdAt: String
    var updatedAt: String

    /// The optional members of the output.
    struct Additions {
        /// The number of passages before and after the matched passage; `nil` for no context.
        var context: Int?
        var hasExplanation = false
        var hasDuplicates = false
    }

    init(_ hit: QueryHit, _ snippet: Snippet, _ additions: Additions) {
        let entry = hit.entry
        rank = hit.rank
        id = entry.id.text
        score = hit.score
        similarity = hit.similarity
        fused = hit.fused
        title = hit.title
        let found = entry.location(ofByte: snippet.anchor)
        location = Location(line: found.line, page: found.page, headings: found.headings)
        content = entry.content
        metadata = entry.metadata
        tags = entry.tags
        source = entry.source
        path = entry.sourcePath
        let range = hit.passage.utf8Range
        passage = Part(
            ordinal: hit.passage.ordinal, line: entry.sourceLine(ofByte: range.lowerBound),
            range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        self.snippet = Excerpt(snippet, of: entry)
        if let count = additions.context {
            let range = hit.context(count)
            context = Context(
                range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        }
        if additions.hasExplanation {
            let vector = hit.vectorRank.map { Explanation.Ranking(rank: $0, score: hit.similarity) }
            let text = hit.textRank.map { Explanation.Ranking(rank: $0, score: hit.textScore ?? 0) }
            explanation = Explanation(
                vector: vector, text: text, shares: Explanation.Shares(hit.explanation))
        }
        if additions.hasDuplicates { duplicates = hit.duplicates.map(\.text) }
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
    }
}

extension HitDocument.Additions {
    /// Creates the members that the options of a search request.
    init(_ search: SearchOptions) {
        self.init(context: search.context, hasExplanation: search.explain, hasDuplicates: search.fold)
    }
}

extension HitDocument.Explanation.Shares {
    init(_ explanation: ScoreExplanation) {
        passage = explanation.passage
        entry = explanation.entry
        words = explanation.words
        fields = Dictionary(
            uniqueKeysWithValues: explanation.fields.map { ($0.key.rawValue, $0.value) })
        phrase = explanation.phrase
    }
}

extension HitDocument.Excerpt {
    fileprivate init(_ snippet: Snippet, of entry: Entry) {
        let start = snippet.utf8Range.lowerBound
        line = entry.sourceLine(ofByte: snippet.anchor)
        startLine = entry.sourceLine(ofByte: start)
        range = [start, snippet.utf8Range.upperBound]
        text = entry.text(in: snippet.utf8Range) ?? ""
        marks = snippet.highlights.map { [$0.lowerBound - start, $0.upperBound - start] }
    }
}

extension Entry {
    /// The path for `--format paths`, relative to the current folder if the file is in it; `nil` if the entry
    /// did not come from a file.
    var listedPath: String? { sourcePath.map { _ in displayPath } }

    /// The source in readable form: a relative path for files below the current folder.
    var displayPath: String {
        guard let path = sourcePath else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}
