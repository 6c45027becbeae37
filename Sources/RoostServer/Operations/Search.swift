import Foundation
package import Roost
import RoostConversations
import RoostModel
import RoostText

/// A search for entries, or a list of entries without a query.
struct Search: Operation {
    struct Output: Codable, Sendable {
        var results: [EntryDocument]
        var nearest: [EntryDocument]?
        /// How the query was understood, and why there are no results.
        var notices: [String]?
        var nextCursor: String?
    }

    var query: String?
    var document: String?
    var entries: [String]?
    var vector: [Float]?
    var limit: Int?
    var mode: String?
    var minimumScore: Float?
    var exact: Bool?
    var all: Bool?
    var exactWords: Bool?
    var passages: Bool?
    var snippetLength: Int?
    var includeText: Bool?
    var positions: Bool?

    static let name = "search"
    static let summary = "Search notes and messages by meaning and by words."
    static let details =
        "\(scoreMeaning) 'fetch' returns whole texts. Without 'query', lists entries, newest first."
    static let scoreMeaning =
        "The score is the evidence, by meaning and by words, relative to that of a text that equals the query: "
        + "near 0 for unrelated text, 1 for the same text."
    static let access = OperationAccess(.reads, .texts)
    static let route = OperationRoute(.post, "/search")
    static let isTool = true

    static let parameters =
        [
            Argument(
                "query",
                Schema.string(
                    "A question or words; \"a phrase\" must occur, -word must not.",
                    maximum: 20_000))
        ] + EntrySelection.parameters + OperationContext.pageParameters(maximum: 1_000, standard: 10) + [
            TokenBudget.parameter,
            Argument(
                "document",
                Schema.string(
                    "A text in place of a query; entries similar to it are found.", minimum: 1,
                    maximum: EntryValueParameters.maximumText), .programs),
            Argument(
                "entries",
                Schema.array(
                    of: Schema.string("An id."),
                    "Ids of entries in place of a query; entries similar to them are found.", minimum: 1,
                    maximum: 100), .programs),
            Argument(
                "vector",
                Schema.array(
                    of: Schema.number("A number."), "A vector of the store's model in place of a query.",
                    minimum: 1, maximum: EmbeddingSpace.maximumDimension), .programs),
            Argument(
                "mode",
                Schema.choice(
                    SearchMode.allCases.map(\.rawValue),
                    "Whether to compare meaning, words or both (default)."), .programs),
        ] + settings

    private static let settings = [
        Argument("minimumScore", Schema.number("The minimum score of results.", 0...1), .programs),
        Argument(
            "exact", Schema.flag("Whether to compare all entries instead of using the index."), .programs),
        Argument(
            "all", Schema.flag("Whether to return the nearest entries even if they are not relevant."),
            .programs),
        Argument(
            "exactWords", Schema.flag("Whether to search without correcting misspelled words."), .programs),
        Argument("passages", Schema.flag("Whether to list all good passages of an entry."), .programs),
        Argument(
            "snippetLength", Schema.integer("The maximum length of snippets in bytes.", 1...10_000), .programs
        ),
        Argument(
            "includeText", Schema.flag("Whether results have the whole text and the metadata."), .programs),
        Argument(
            "positions",
            Schema.flag(
                "Whether results have the positions of the snippet and of the matched words, the page and the "
                    + "headings."), .programs),
    ]

    func run(in context: OperationContext) async throws -> Output {
        let selection = try context.decode(EntrySelection.self)
        let filter = try await selection.filter(in: context)
        let offset = try context.position() ?? 0
        guard let subject = try subject() else {
            return try await list(filter, from: offset, context)
        }
        var search = entrySearch(subject, matching: try await context.visible(filter))
        search.offset = offset
        search.visible = context.rules.showsEverything ? nil : try await context.visible()
        let limit = search.limit
        // One more hit tells whether there is another page.
        search.limit += 1
        let result = try await context.store.search(search)
        // The search may have read a newer state than that of the cursor.
        _ = try context.position(at: result.stamp)
        var output = Output(results: [])
        var budget = context.budget
        let notices = SearchNotices.texts(
            of: result, offset: offset, showingEverything: context.rules.showsEverything,
            hasFilter: !selection.isEmpty)
        if !notices.isEmpty {
            output.notices = notices
            budget.use(.array(notices.map { .string($0) }))
        }
        if result.hasOnlyNoise, offset == 0 {
            let nearest = result.nearest.map { hit in
                var document = EntryDocument(hit.entry)
                document.addSnippet(
                    of: hit, in: result, length: EntryDocument.snippetLength(context.tokens))
                document.line = nil
                return document
            }
            output.nearest = try context.page(nearest, from: 0, isLast: true, budget).items
        }
        let results = result.hits.prefix(limit).map { hit in
            EntryDocument(
                hit, in: result, snippetLength: snippetLength, withText: includeText ?? false,
                withPositions: positions ?? false, tokens: context.tokens)
        }
        (output.results, output.nextCursor) = try context.page(
            results, from: offset, isLast: result.hits.count <= limit, budget)
        return output
    }

    /// The queries that models write to ask for all entries.
    private static let wildcards: Set = ["", "*"]

    /// Returns the subject of the search; `nil` if a list is requested.
    private func subject() throws(OperationError) -> EntrySearch.Subject? {
        var subjects: [EntrySearch.Subject] = []
        if let query { subjects.append(.text(query)) }
        if let document { subjects.append(.document(document)) }
        if let entries { subjects.append(.entries(try TextValues.ids(entries, "entries"))) }
        if let vector { subjects.append(.vector(vector)) }
        guard subjects.count <= 1 else {
            throw OperationError("pass only one of 'query', 'document', 'entries' and 'vector'")
        }
        if let query, Self.wildcards.contains(query.filter { !$0.isWhitespace }) { return nil }
        return subjects.first
    }

    private func entrySearch(
        _ subject: EntrySearch.Subject, matching filter: EntryFilter
    ) -> EntrySearch {
        var search = EntrySearch(subject, matching: filter, limit: limit ?? 10)
        search.mode = mode.flatMap(SearchMode.init) ?? .hybrid
        search.minimumScore = minimumScore
        search.isExact = exact ?? false
        search.includesAll = all ?? false
        search.usesExactWords = exactWords ?? false
        search.listsPassages = passages ?? false
        return search
    }

    // MARK: Lists

    /// Returns a page of the entries that match a filter, newest first.
    private func list(
        _ filter: EntryFilter, from offset: Int, _ context: OperationContext
    ) async throws -> Output {
        // Of entries with the same date, the one that was stored last is the newest.
        let all = try await EntryOrder.created.ids(
            matching: try await context.visible(filter), isReversed: true, in: context.snapshot)
        let ids = Array(all.dropFirst(offset).prefix(limit ?? 10))
        let items = try await context.snapshot.entries(ids).map { entry in
            var document = EntryDocument(entry)
            document.snippet = EntryDocument.beginning(
                of: entry, EntryDocument.snippetLength(context.tokens))
            document.createdAt = DateText.string(from: entry.createdAt)
            document.updatedAt = DateText.string(from: entry.updatedAt)
            if !entry.tags.isEmpty { document.addTags(of: entry, tokens: context.tokens) }
            return document
        }
        let (results, next) = try context.page(
            items, from: offset, isLast: offset + ids.count >= all.count, context.budget)
        let notice = Self.notice(
            count: all.count, offset, isEmptyPage: ids.isEmpty, filter, context)
        return Output(results: results, notices: notice.map { [$0] }, nextCursor: next)
    }

    private static func notice(
        count: Int, _ offset: Int, isEmptyPage: Bool, _ filter: EntryFilter, _ context: OperationContext
    ) -> String? {
        guard offset == 0 else {
            return isEmptyPage ? "there are no entries after the first \(offset)" : nil
        }
        guard count == 0 else {
            return count == 1 ? "one entry matches" : "\(count) entries match; they are listed newest first"
        }
        if context.rules.showsEverything, context.snapshot.stamp.entryCount == 0 {
            return "the store has no entries"
        }
        return filter == .all ? SearchNotices.noEntries : "no entry matches the filter"
    }
}

/// The sentences with which servers report how a search was carried out, and why it has no hits.
package enum SearchNotices {
    static let maximumWords = 5
    private static let maximumLength = 60

    /// Returns the sentences about a result.
    ///
    /// - Parameters:
    ///   - showsEverything: Whether the client sees the whole store. Otherwise, it must not learn whether the
    ///     store is empty, and the search must have named the visible entries (`EntrySearch/visible`).
    ///   - hasFilter: Whether the client selected the entries that may be found.
    static func texts(
        of result: QueryResult, offset: Int, showingEverything showsEverything: Bool, hasFilter: Bool
    ) -> [String] {
        let texts = remarks(on: result, subject: "entry") + exclusion(of: result)
        guard result.hits.isEmpty else { return texts }
        let isEmpty = showsEverything && offset == 0 && result.stamp.entryCount == 0
        let none = hasFilter ? "no entry matches the filter" : noEntries
        return texts + [
            isEmpty
                ? "the store has no entries"
                : reason(
                    of: result, offset, hasNearest: result.hasOnlyNoise, hasFilter, ("entry", "entries"), none
                )
        ]
    }

    /// Returns the reason why nothing is recalled if no visible message is stored, or none matches the
    /// filter. It does not depend on messages that the client cannot see, such as whether there are any.
    static func noMessages(hasFilter: Bool) -> String {
        hasFilter ? "no message matches the conversation and the period" : "there are no messages yet"
    }

    /// Returns the sentences about the messages that were recalled.
    ///
    /// The search must have named the visible messages, as recalls do.
    static func texts(of result: RecallResult, offset: Int, hasFilter: Bool) -> [String] {
        let texts = remarks(on: result.search, subject: "message") + exclusion(of: result.search)
        guard result.recollections.isEmpty else { return texts }
        return texts + [
            reason(
                of: result.search, offset, hasNearest: result.hasOnlyNoise, hasFilter,
                ("message", "messages"),
                noMessages(hasFilter: hasFilter))
        ]
    }

    /// Returns the sentences about the words of a query that were corrected or ignored.
    package static func remarks(on result: QueryResult, subject: String) -> [String] {
        var texts = result.notices.map(\.message)
        if result.omittedTokens > 0 {
            texts.append(
                "the query exceeds the model's maximum length: its last "
                    + "\(Count.text(result.omittedTokens, "token was", "tokens were")) ignored")
        }
        return texts
            + result.corrections.prefix(maximumWords).map { correction in
                let (old, new) = (short(correction.original), short(correction.corrected))
                return "no \(subject) contains '\(old)'; the search was for '\(new)'"
            }
    }

    private static func exclusion(of result: QueryResult) -> [String] {
        guard let query = result.text, !query.exclusions.isEmpty else { return [] }
        var words = query.exclusions.prefix(maximumWords).map(short)
        if query.exclusions.count > maximumWords { words.append("…") }
        return [
            "excluded: \(words.joined(separator: ", ")); to search for such a word, put it in quotation marks"
        ]
    }

    private static func reason(
        of search: QueryResult, _ offset: Int, hasNearest: Bool, _ hasFilter: Bool,
        _ subject: (one: String, several: String), _ none: String
    ) -> String {
        if offset > 0 { return "there are no \(subject.several) after the first \(offset)" }
        if hasNearest {
            return "no \(subject.one) is close to the query; 'nearest' has the nearest \(subject.several)"
        }
        guard search.candidateCount == 0 else { return "no \(subject.one) was found" }
        guard search.text?.isSelective == true else { return none }
        return "no \(subject.one) meets the conditions of the query" + (hasFilter ? " and the filter" : "")
    }

    /// The reason why a search without a filter finds no entries in a store that has some.
    static let noEntries = "the part of the store that this server shows has no entries"

    static func short(_ text: String) -> String {
        text.count > maximumLength ? String(text.prefix(maximumLength)) + "…" : text
    }
}
