import HTTPTypes
import Roost
import RoostModel

enum SearchRoutes {
    static let all = [search]

    private static let search = Route(
        method: .post, path: "/api/v1/search", operation: "search", tag: "Search",
        summary: "Search entries by meaning and by words, or find entries similar to a text or to entries.",
        body: .json(Schema.reference("SearchRequest")),
        answers: [Route.Answer(200, "The hits, best first.", .json(Schema.reference("SearchResult")))]
    ) { call in
        try await call.context.handle.use { store in
            let request = try SearchRequest(call.body)
            return .json(request.json(try await store.search(try await request.search(in: store))))
        }
    }
}
