import Foundation
import HTTPTypes
import Roost
import RoostModel
import RoostText

/// A search in the body of a request, and the JSON form of its result.
struct SearchRequest: Sendable {
    private let body: JSONValue
    private let subject: EntrySearch.Subject

    static let maximumLimit = 1_000
    private static let maximumText = 1 << 20
    private static let maximumSnippet = 10_000
    private static let defaultSnippet = 240

    /// Creates a request from a body that matches the schema.
    ///
    /// - Throws: ``Problem`` if the body has not exactly one subject.
    init(_ body: JSONValue) throws {
        self.body = body
        var subjects: [EntrySearch.Subject] = []
        if let text = body["query"]?.asString { subjects.append(.text(text)) }
        if let text = body["document"]?.asString { subjects.append(.document(text)) }
        if body["entries"] != nil { subjects.append(.entries(try FilterArguments.ids(body, "entries"))) }
        if let numbers = body["vector"]?.elements {
            subjects.append(.vector(numbers.map { Float($0.double ?? 0) }))
        }
        guard subjects.count == 1, let subject = subjects.first else {
            throw Problem.invalid("body needs exactly one of the members query, document, entries and vector")
        }
        self.subject = subject
    }

    /// Returns the search.
    ///
    /// - Throws: `ToolFailure` if the filter is invalid; `StorageError`.
    func search(in store: KnowledgeStore) async throws -> EntrySearch {
        var search = EntrySearch(subject, limit: body["limit"]?.integer ?? 10)
        if let filter = body["filter"] {
            search.filter = try await EntrySelection.filter(filter, in: try await store.storage.snapshot())
        }
        search.offset = body["offset"]?.integer ?? 0
        search.mode = body["mode"]?.asString.flatMap(SearchMode.init) ?? .hybrid
        search.minimumScore = body["minimumScore"]?.double.map { Float($0) }
        search.minimumSimilarity = body["minimumSimilarity"]?.double.map { Float($0) }
        search.diversity = body["diversity"]?.double.map { Float($0) }
        search.duplicateThreshold = body["duplicateThreshold"]?.double.map { Float($0) }
        search.isExact = body["exact"]?.flag ?? false
        search.includesAll = body["all"]?.flag ?? false
        search.usesExactWords = body["exactWords"]?.flag ?? false
        return search
    }

    func json(_ result: QueryResult) -> JSONValue {
        var members: [String: JSONValue] = [
            "hits": .array(result.hits.map { hit($0, of: result) }),
            "revision": .integer(Int64(result.stamp.revision.rawValue)),
            "notices": .array(
                SearchNotices.texts(
                    of: result, offset: body["offset"]?.integer ?? 0, showingEverything: true
                ).map { .string($0) }),
        ]
        if result.hasOnlyNoise {
            members["nearest"] = .array(result.nearest.map { hit($0, of: result) })
        }
        return .object(members)
    }

    private func hit(_ hit: QueryHit, of result: QueryResult) -> JSONValue {
        let entry = hit.entry
        let snippet = result.snippet(of: hit, limit: body["snippetLength"]?.integer ?? Self.defaultSnippet)
        let start = snippet.utf8Range.lowerBound
        var members: [String: JSONValue] = [
            "id": .string(entry.id.text), "rank": .count(hit.rank), "score": .rounded(hit.score),
            "similarity": .rounded(hit.similarity), "metadata": .object(entry.metadata),
            "tags": .array(entry.tags.map { .string($0) }),
            "snippet": [
                "text": .string(entry.text(in: snippet.utf8Range) ?? ""),
                "range": [.count(start), .count(snippet.utf8Range.upperBound)],
                "marks": .array(
                    snippet.highlights.map {
                        [.count($0.lowerBound - start), .count($0.upperBound - start)]
                    }),
            ],
            "updatedAt": .string(DateText.string(from: entry.updatedAt)),
        ]
        members["title"] = hit.title.map { .string($0) }
        members["source"] = entry.source.map { .string($0) }
        members["line"] = entry.sourceLine(ofByte: snippet.anchor).map { .count($0) }
        if body["includeContent"]?.flag == true { members["content"] = .string(entry.content) }
        if !hit.duplicates.isEmpty { members["duplicates"] = .array(hit.duplicates.map { .string($0.text) }) }
        return .object(members)
    }

    static let schema = Schema.object(
        [
            "query": Schema.string(
                "A question or descriptive words; it may have operators such as \"quoted words\" and -word.",
                minimum: 1, maximum: maximumText),
            "document": Schema.string(
                "A text; the search finds entries similar to it.", minimum: 1, maximum: maximumText),
            "entries": Schema.array(
                of: Schema.id("The id of an entry."),
                "The ids of entries; the search finds entries similar to them.", minimum: 1, maximum: 100),
            "vector": Schema.array(
                of: Schema.number("A number."), "A vector of the store's embedding space.", minimum: 1,
                maximum: EmbeddingSpace.maximumDimension),
            "filter": Schema.object(
                named: "EntryFilter", EntrySelection.properties, "A filter for the entries to search."),
            "mode": Schema.choice(
                SearchMode.allCases.map(\.rawValue), "Whether to compare meaning, words or both (default)."),
            "limit": Schema.integer("The maximum number of hits; 10 by default.", 1...maximumLimit),
            "offset": Schema.integer("The number of hits to skip.", 0...100_000),
            "minimumScore": Schema.number("The minimum score of hits.", 0...1),
            "minimumSimilarity": Schema.number("The minimum cosine similarity of hits.", -1...1),
            "diversity": Schema.number("The weight of diversity, 0 to 1.", 0...1),
            "duplicateThreshold": Schema.number(
                "The similarity at which hits are reported as duplicates of a better hit.", 0...1),
            "exact": Schema.flag("Whether to compare all entries instead of using the index."),
            "all": Schema.flag("Whether to return the nearest entries even if they are not relevant."),
            "exactWords": Schema.flag("Whether to search without correcting misspelled words."),
            "snippetLength": Schema.integer(
                "The maximum length of snippets in characters.", 1...maximumSnippet),
            "includeContent": Schema.flag("Whether hits contain the whole text of the entry."),
        ], "A search; it has exactly one of the members query, document, entries and vector.")

    static let resultSchema = Schema.object(
        [
            "hits": Schema.array(of: Schema.reference("Hit"), "The hits, best first."),
            "nearest": Schema.array(
                of: Schema.reference("Hit"), "The nearest entries, if none of them is relevant."),
            "revision": Schema.integer("The revision of the store."),
            "notices": Schema.array(
                of: Schema.string("A sentence."),
                "How the query was understood, such as excluded and corrected words, and why there are no "
                    + "hits."),
        ], required: ["hits", "revision", "notices"], isOpen: true, "The result of a search.")

    static let hitSchema = Schema.object(
        [
            "id": Schema.id("The id of the entry."), "rank": Schema.integer("The rank, from 1."),
            "score": Schema.number("The relevance from 0 to 1."),
            "similarity": Schema.number("The cosine similarity."), "title": Schema.string("The title."),
            "source": Schema.string("The id of the source."),
            "line": Schema.integer("The line of the source, from 1."),
            "snippet": Schema.object(
                named: "Snippet",
                [
                    "text": Schema.string("The part of the text that matches best."),
                    "range": Schema.array(
                        of: Schema.integer("An offset."), "The range in the content in UTF-8 bytes."),
                    "marks": Schema.array(
                        of: Schema.array(of: Schema.integer("An offset."), "A range in UTF-8 bytes."),
                        "The matched words in the snippet."),
                ], required: ["text", "range", "marks"], isOpen: true, "The part that matches best."),
            "content": Schema.string("The whole text."), "metadata": Schema.metadata,
            "tags": Schema.array(of: Schema.string("A tag."), "The tags."),
            "duplicates": Schema.array(of: Schema.id("The id of an entry."), "Near-duplicates of the hit."),
            "updatedAt": Schema.time("When the entry was changed."),
        ], required: ["id", "rank", "score", "similarity", "snippet", "metadata", "tags"], isOpen: true,
        "An entry that matches a search.")
}
