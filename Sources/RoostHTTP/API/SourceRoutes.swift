import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel

/// The routes of the sources of entries.
enum SourceRoutes {
    static let all = [list, remove]

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
            let cursor = try PageCursor.cursor(of: call, at: snapshot.stamp)
            let start = cursor?.position ?? 0
            let page = try await page(
                after: cursor, limit: call.integer("limit", default: 1_000), of: snapshot)
            var members: [String: JSONValue] = [
                "sources": .array(
                    page.sources.map { source in
                        [
                            "id": .string(source.id),
                            "ingestedAt": .string(DateText.string(from: source.ingestedAt)),
                        ]
                    }),
                "count": .count(try await snapshot.sourceCount()),
            ]
            if let next = page.next {
                members["nextCursor"] = PageCursor.text(
                    start + page.sources.count, key: next, of: call, at: snapshot.stamp)
            }
            return .json(.object(members))
        }
    }

    private static func page(
        after cursor: PageCursor?, limit: Int, of snapshot: any StorageSnapshot
    ) async throws -> SourcePage {
        guard let cursor, cursor.key == nil else {
            return try await snapshot.sources(after: cursor?.key, limit: limit)
        }
        // The cursor cannot contain a very long id, so the earlier pages are read again.
        var page = try await snapshot.sources(after: nil, limit: cursor.position + limit)
        page.sources.removeFirst(min(cursor.position, page.sources.count))
        return page
    }

    private static let remove = Route(
        method: .delete, path: "/api/v1/sources", operation: "removeSource", tag: "Sources",
        summary: "Remove the entries of a source, and the record of the source.",
        details: "The file itself is not deleted.", effect: .writes,
        parameters: [
            .query("id", Schema.string("The id of the source.", minimum: 1, maximum: 8_192), isRequired: true)
        ],
        answers: [
            Route.Answer(
                200, "The number of removed entries.",
                .json(
                    Schema.object(
                        named: "SourceRemoval", ["removed": Schema.integer("The number of entries.")],
                        required: ["removed"],
                        isOpen: true)))
        ]
    ) { call in
        let id = try call.required("id")
        return try await call.context.handle.use { store in
            guard let count = try await store.removeSource(id) else {
                throw Problem.notFound("no source has this id")
            }
            return .json(["removed": .count(count)])
        }
    }
}
