import Roost
import RoostModel

struct SearchTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumLimit = 50
    private static let maximumQueryLength = 20_000

    let definition = ToolDefinition(
        name: "search", title: "Search the knowledge store",
        description:
            "Searches the user's notes and documents by meaning and by words, best match first. Use a "
            + "question or a few descriptive words. Returns titles and snippets; call 'fetch' for whole "
            + "texts. Without 'query', lists the entries that match the other arguments, newest first.",
        effect: .reads,
        input: [
            ToolProperty(
                "query", .string(maximumBytes: maximumQueryLength),
                "A question or descriptive words. \"Quoted words\" must occur as a phrase, "
                    + "-word must not occur."
            ),
            ToolProperty(
                "limit", .integer(1...maximumLimit), "The maximum number of results; 10 by default."),
        ] + FilterArguments.properties + ResultPage.arguments)

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        try await handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let lookup = EntryLookup(rules: rules, snapshot: snapshot)
            let offset = try PageCursor.position(of: arguments, at: snapshot.stamp)
            let filter = try await FilterArguments.filter(arguments.json, lookup)
            guard let query = arguments.string("query"), !EntryListing.isRequested(by: query) else {
                return try await listing(filter, arguments, snapshot, offset)
            }
            var search = EntrySearch(
                .text(query), matching: rules.restricting(filter),
                limit: arguments.integer("limit", default: 10))
            search.offset = offset
            let limit = search.limit
            // One more hit tells whether there is another page.
            search.limit += 1
            search.visible = rules.showsEverything ? nil : rules.restricting()
            let result = try await store.search(search)
            let items = result.hits.prefix(limit).map { hit -> JSONValue in
                var item = EntryJSON.summary(of: hit.entry)
                item["score"] = .rounded(hit.score)
                let tokens = arguments.integer("budget", default: TokenBudget.standard)
                let snippet = EntryJSON.snippet(of: hit, in: result, tokens: tokens)
                item["snippet"] = .string(hit.entry.text(in: snippet.utf8Range) ?? "")
                item["updatedAt"] = .string(DateText.string(from: hit.entry.updatedAt))
                let byte = snippet.anchor
                if let line = hit.entry.sourceLine(ofByte: byte) { item["line"] = .integer(Int64(line)) }
                if !hit.entry.tags.isEmpty {
                    item.merge(EntryJSON.tags(of: hit.entry, tokens: tokens)) { first, _ in first }
                }
                return .object(item)
            }
            return ResultPage(
                items, name: "results", offset: offset, isLast: result.hits.count <= limit, arguments,
                snapshot.stamp, with: explanation(of: result, offset: offset, arguments)
            ).json
        }
    }

    /// Returns a page of the entries that match a filter.
    private func listing(
        _ filter: EntryFilter, _ arguments: ToolArguments, _ snapshot: any StorageSnapshot, _ offset: Int
    ) async throws -> JSONValue {
        let list = try await EntryListing(
            filter, under: rules, snapshot, offset: offset,
            limit: arguments.integer("limit", default: 10),
            tokens: arguments.integer("budget", default: TokenBudget.standard))
        let notices: [String: JSONValue] =
            list.notices.isEmpty ? [:] : ["notices": .array(list.notices.map { .string($0) })]
        return ResultPage(
            list.items, name: "results", offset: offset, isLast: list.isLast, arguments, snapshot.stamp,
            with: notices
        ).json
    }

    /// Returns the members that explain a result: the notices, and the nearest entries that fit into the
    /// budget if none is close to the query.
    private func explanation(
        of result: QueryResult, offset: Int, _ arguments: ToolArguments
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let notices = SearchNotices.texts(
            of: result, offset: offset, showingEverything: rules.showsEverything,
            hasFilter: FilterArguments.properties.contains { arguments[$0.name] != nil })
        if !notices.isEmpty { members["notices"] = .array(notices.map { .string($0) }) }
        if result.hasOnlyNoise, offset == 0 {
            var budget = TokenBudget(arguments)
            budget.use(.object(members))
            budget.use(["results": [], "nearest": [], "notice": EntryJSON.notice])
            let tokens = arguments.integer("budget", default: TokenBudget.standard)
            let nearest = result.nearest.map { hit in
                var item = EntryJSON.summary(of: hit.entry)
                item["snippet"] = EntryJSON.snippetText(of: hit, in: result, tokens: tokens)
                return JSONValue.object(item)
            }
            members["nearest"] = .array(budget.takeFirst(of: nearest))
        }
        return members
    }
}
