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
        var line: Int?
        /// The excerpt's position in the entry's content: a range of UTF-8 bytes.
        var range: [Int]
        var text: String
        /// The positions of the matched words in `text`: ranges of UTF-8 bytes.
        var marks: [[Int]]
    }

    /// The rank and score of the hit in the vector search and in the text search.
    struct Explanation: Encodable {
        struct Ranking: Encodable {
            var rank: Int
            var score: Float
        }

        var vector: Ranking?
        var text: Ranking?
    }

    /// The passages around the matched passage, for `--context`.
    struct Context: Encodable {
        /// The position of the passages in the entry's content: a range of UTF-8 bytes.
        var range: [Int]
        var text: String
    }

    var rank: Int
    var id: String
    var score: Float
    var fused: Float
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

    init(_ hit: QueryHit, _ snippet: Snippet, _ search: SearchOptions, _ lines: SourceLines) {
        let entry = hit.entry
        rank = hit.rank
        id = entry.id.text
        score = hit.score
        fused = hit.fused
        content = entry.content
        metadata = entry.metadata
        tags = entry.tags
        source = entry.source
        path = entry.path
        let range = hit.passage.utf8Range
        passage = Part(
            ordinal: hit.passage.ordinal, line: lines.line(of: range.lowerBound, in: entry),
            range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        self.snippet = Excerpt(snippet, of: entry, lines)
        if let count = search.context {
            let range = hit.context(count)
            context = Context(
                range: [range.lowerBound, range.upperBound], text: entry.text(in: range) ?? "")
        }
        if search.explain {
            let vector = hit.vectorRank.map { Explanation.Ranking(rank: $0, score: hit.score) }
            let text = hit.textRank.map { Explanation.Ranking(rank: $0, score: hit.textScore ?? 0) }
            explanation = Explanation(vector: vector, text: text)
        }
        if search.fold { duplicates = hit.duplicates.map(\.text) }
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
    }
}

extension HitDocument.Excerpt {
    fileprivate init(_ snippet: Snippet, of entry: Entry, _ lines: SourceLines) {
        let start = snippet.utf8Range.lowerBound
        line = lines.line(of: snippet.highlights.first?.lowerBound ?? start, in: entry)
        range = [start, snippet.utf8Range.upperBound]
        text = entry.text(in: snippet.utf8Range) ?? ""
        marks = snippet.highlights.map { [$0.lowerBound - start, $0.upperBound - start] }
    }
}

extension Entry {
    /// The path of the source file; `nil` if the entry did not come from a file.
    var path: String? {
        guard let source, source.hasPrefix("file://") else { return nil }
        return URL(string: source)?.path
    }

    /// The source in readable form: a relative path for files below the current folder.
    var displayPath: String {
        guard let path else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}
