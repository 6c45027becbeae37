import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel
import RoostText

/// The routes that search entries.
enum SearchRoutes {
    private static let tag = "Search"
    private static let maximumBatch = 100
    private static let defaultThreshold = 0.95
    private static let limit = Parameter.query(
        "limit", Schema.integer("The maximum number of hits; 10 by default.", 1...SearchRequest.maximumLimit))

    static let all = [search, batch, similar, duplicates]

    private static let search = Route(
        method: .post, path: "/api/v1/search", operation: "search", tag: tag,
        summary: "Search entries by meaning and by words.",
        body: .json(Schema.reference("SearchRequest")),
        answers: [Route.Answer(200, "The hits, best first.", .json(Schema.reference("SearchResult")))]
    ) { call in
        try await call.context.handle.use { store in
            let request = try SearchRequest(call.body)
            let snapshot = { try await store.storage.snapshot() }
            let search = try await request.search(in: snapshot)
            let result = try await store.search(search)
            let unknownNames = try await request.unknownNames(for: search, result, in: snapshot)
            return .json(request.json(result, unknownNames: unknownNames))
        }
    }

    private static let batch = Route(
        method: .post, path: "/api/v1/search/batch", operation: "searchBatch", tag: tag,
        summary: "Run several searches.",
        details: "Searches that differ only in their text are computed together, which is faster.",
        body: .json(
            Schema.object(
                named: "SearchBatch",
                [
                    "searches": Schema.array(
                        of: Schema.reference("SearchRequest"), "The searches.", minimum: 1,
                        maximum: maximumBatch)
                ], required: ["searches"])),
        answers: [
            Route.Answer(
                200, "The results in the order of the searches.",
                .json(
                    Schema.object(
                        named: "SearchBatchResult",
                        [
                            "results": Schema.array(
                                of: Schema.reference("SearchResult"), "The results.")
                        ], required: ["results"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let requests = try (call.body["searches"]?.elements ?? []).map(SearchRequest.init)
            // All filters are read in one snapshot.
            var shared: (any StorageSnapshot)?
            var searches: [EntrySearch] = []
            for request in requests {
                let search = try await request.search {
                    if let shared { return shared }
                    let taken = try await store.storage.snapshot()
                    shared = taken
                    return taken
                }
                searches.append(search)
            }
            let results = try await store.search(searches)
            var documents: [JSONValue] = []
            for (index, request) in requests.enumerated() {
                let unknownNames = try await request.unknownNames(for: searches[index], results[index]) {
                    try await store.storage.snapshot()
                }
                documents.append(request.json(results[index], unknownNames: unknownNames))
            }
            return .json(["results": .array(documents)])
        }
    }

    private static let similar = Route(
        method: .get, path: "/api/v1/entries/{id}/similar", operation: "findSimilar", tag: tag,
        summary: "Return the entries that are most similar to an entry.",
        parameters: [.path("id", Schema.id("The id of the entry.")), limit],
        answers: [Route.Answer(200, "The hits, best first.", .json(Schema.reference("SearchResult")))]
    ) { call in
        let id = try call.id("id", of: "entry")
        return try await call.context.handle.use { store in
            var body: [String: JSONValue] = ["entries": [.string(id.text)]]
            body["limit"] = call.values["limit"]
            let request = try SearchRequest(.object(body))
            let search = try await request.search { try await store.storage.snapshot() }
            return .json(request.json(try await store.search(search)))
        }
    }

    private static let duplicates = Route(
        method: .get, path: "/api/v1/duplicates", operation: "findDuplicates", tag: tag,
        summary: "Return groups of near-duplicate entries.",
        parameters: [
            .query(
                "threshold",
                Schema.number(
                    "The minimum cosine similarity of any two entries of a group; \(defaultThreshold) by "
                        + "default.", 0.5...1)),
            .query("limit", Schema.integer("The maximum number of groups; 100 by default.", 1...1_000)),
        ] + EntrySelection.parameters,
        answers: [
            Route.Answer(
                200, "The groups, largest first.",
                .json(
                    Schema.object(
                        named: "DuplicateGroups",
                        [
                            "groups": Schema.array(
                                of: Schema.object(
                                    named: "DuplicateGroup",
                                    [
                                        "entries": Schema.array(
                                            of: Schema.id("The id of an entry."), "The entries.")
                                    ], required: ["entries"], isOpen: true), "The groups."),
                            "count": Schema.integer("The number of all groups."),
                        ], required: ["groups", "count"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let groups = try await store.duplicates(
                threshold: Float(call.values["threshold"]?.double ?? defaultThreshold),
                matching: try await EntrySelection.filter(.object(call.values), in: snapshot))
            let page = groups.prefix(call.integer("limit", default: 100))
            return .json([
                "count": .count(groups.count),
                "groups": .array(
                    page.map { group in
                        ["entries": .array(group.entries.map { .string($0.text) })]
                    }),
            ])
        }
    }
}
