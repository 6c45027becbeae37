import Foundation
import HTTPTypes
import Roost
import RoostModel

enum SourceRoutes {
    static let all = [list]

    private static let list = Route(
        method: .get, path: "/api/v1/sources", operation: "listSources", tag: "Sources",
        summary: "List the files and other sources from which entries were ingested.",
        parameters: PageCursor.parameters(maximum: 10_000, default: 1_000),
        answers: [
            Route.Answer(
                200, "One page of sources, in the order of their ids.",
                .json(
                    Schema.object(
                        named: "SourcePage",
                        [
                            "sources": Schema.array(
                                of: Schema.object(
                                    named: "Source",
                                    [
                                        "id": Schema.string("The id, for a file its URL."),
                                        "ingestedAt": Schema.time("When the source was last ingested."),
                                    ], required: ["id", "ingestedAt"], isOpen: true), "The sources."),
                            "count": Schema.integer("The number of all sources."),
                            "nextCursor": PageCursor.property,
                        ], required: ["sources", "count"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let start = try PageCursor.position(of: call, at: snapshot.stamp) ?? 0
            // Sources are read by their ids, so the earlier pages are read again.
            let read = try await snapshot.sources(
                after: nil, limit: start + call.integer("limit", default: 1_000))
            let page = read.sources.dropFirst(start)
            var members: [String: JSONValue] = [
                "sources": .array(
                    page.map { source in
                        [
                            "id": .string(source.id),
                            "ingestedAt": .string(DateText.string(from: source.ingestedAt)),
                        ]
                    }),
                "count": .count(try await snapshot.sourceCount()),
            ]
            if read.next != nil {
                members["nextCursor"] = PageCursor.text(start + page.count, of: call, at: snapshot.stamp)
            }
            return .json(.object(members))
        }
    }
}
