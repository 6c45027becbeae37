import Foundation
import Roost

/// A hit as `--json` writes it.
struct HitDocument: Encodable {
    struct Part: Encodable {
        var ordinal: Int
        /// In the source's file, where it is known; from 1.
        var line: Int?
        var range: [Int]
        var text: String
    }

    /// What of the entry is shown, and the words in it that were asked for.
    struct Excerpt: Encodable {
        var line: Int?
        /// UTF-8 bytes of the entry's content.
        var range: [Int]
        var text: String
        /// UTF-8 bytes of `text`, each from and to.
        var marks: [[Int]]
    }

    /// What each of the two lists said.
    struct Explanation: Encodable {
        struct Place: Encodable {
            var rank: Int
            var score: Float
        }

        var vector: Place?
        var text: Place?
    }

    struct Context: Encodable {
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
            let vector = hit.vectorRank.map { Explanation.Place(rank: $0, score: hit.score) }
            let text = hit.textRank.map { Explanation.Place(rank: $0, score: hit.textScore ?? 0) }
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
        line = lines.line(of: snippet.marks.first?.lowerBound ?? start, in: entry)
        range = [start, snippet.utf8Range.upperBound]
        text = entry.text(in: snippet.utf8Range) ?? ""
        marks = snippet.marks.map { [$0.lowerBound - start, $0.upperBound - start] }
    }
}

extension Entry {
    /// The file that it came from.
    var path: String? {
        guard let source, source.hasPrefix("file://") else { return nil }
        return URL(string: source)?.path
    }

    /// Where it came from, for people: a path below this folder where it can be said so.
    var place: String {
        guard let path else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}
