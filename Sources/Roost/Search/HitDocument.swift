package import RoostModel
package import RoostText

/// The JSON form of a hit, which ``QueryHit`` encodes.
package struct HitDocument: Encodable {
    package struct Part: Encodable {
        package var ordinal: Int
        /// The line in the source file, from 1; `nil` if it is unknown.
        package var line: Int?
        /// The part's position in the entry's content: a range of UTF-8 bytes.
        package var range: [Int]
        package var text: String
    }

    /// The part of the entry that is shown, with the words that matched.
    package struct Excerpt: Encodable {
        /// The line of the file with the most informative of the matched words, from 1, as in `path:line`
        /// of the text format. The excerpt can begin on an earlier line.
        package var line: Int?
        /// The line of the file on which `text` begins, from 1.
        package var startLine: Int?
        /// The excerpt's position in the entry's content: a range of UTF-8 bytes.
        package var range: [Int]
        package var text: String
        /// The positions of the matched words in `text`: ranges of UTF-8 bytes.
        package var marks: [[Int]]
    }

    /// The shares of the score, and the score by words.
    package struct Explanation: Encodable {
        /// The parts of the score, which add up to it.
        package struct Shares: Encodable {
            package var passage: Float
            package var entry: Float
            package var words: Float
            package var fields: [String: Float]
            package var phrase: Float
        }

        package var textScore: Float?
        package var shares: Shares
    }

    /// The passages around the matched passage.
    package struct Context: Encodable {
        package var range: [Int]
        package var text: String
    }

    /// The location of the excerpt or, without an excerpt, of the passage in the source.
    package struct Location: Encodable {
        /// The line of the first matched word, from 1; `nil` if it is unknown.
        package var line: Int?
        package var page: Int?
        /// The headings above the excerpt, the outermost first.
        package var headings: [String]
    }

    package var rank: Int
    package var id: String
    /// The relevance, from 0 to 1, by which hits are ordered.
    package var score: Float
    /// The cosine similarity of the query and the passage.
    package var similarity: Float
    package var title: String?
    package var location: Location
    package var content: String
    package var metadata: [String: MetadataValue]
    package var tags: [String]
    package var source: String?
    package var path: String?
    package var passage: Part
    package var snippet: Excerpt?
    package var context: Context?
    package var explanation: Explanation?
    package var createdAt: String
    package var updatedAt: String

    /// The optional members of the output.
    package struct Additions {
        /// The number of passages before and after the matched passage; `nil` for no context.
        package var context: Int?
        package var hasExplanation: Bool

        package init(context: Int? = nil, hasExplanation: Bool = false) {
            self.context = context
            self.hasExplanation = hasExplanation
        }
    }

    /// Creates the form of a hit.
    ///
    /// - Parameter snippet: The excerpt that shows why the hit was found; `nil` to omit it.
    package init(_ hit: QueryHit, _ snippet: Snippet?, _ additions: Additions) {
        let entry = hit.entry
        let range = hit.passage.utf8Range
        rank = hit.rank
        id = entry.id.text
        score = hit.score
        similarity = hit.similarity
        title = hit.title
        let found = entry.location(ofByte: snippet?.anchor ?? range.lowerBound)
        location = Location(line: found.line, page: found.page, headings: found.headings)
        content = entry.content
        metadata = entry.metadata
        tags = entry.tags
        source = entry.source
        path = entry.sourcePath
        passage = Part(
            ordinal: hit.passage.ordinal, line: entry.sourceLine(ofByte: range.lowerBound),
            range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        self.snippet = snippet.map { Excerpt($0, of: entry) }
        if let count = additions.context {
            let range = hit.context(count)
            context = Context(
                range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        }
        if additions.hasExplanation {
            explanation = Explanation(
                textScore: hit.textScore, shares: Explanation.Shares(hit.explanation))
        }
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
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
