import HTTPTypes
import Roost
import RoostModel

enum CountRoutes {
    private static let maximumProperties = 3
    private static let maximumCounts = 100_000
    private static let standardCounts = 10_000

    static let all = [count]

    private static let by = Schema.array(
        of: Schema.string("A property.", minimum: 1, maximum: 1_000),
        "Count the entries for each combination of values of these properties: tag, cluster, source, folder, "
            + "day, week, month or year of the creation, or a metadata key; metadata.KEY is always a key.",
        maximum: maximumProperties)
    private static let limit = Schema.integer(
        "The maximum number of counts; \(standardCounts) by default.", 1...maximumCounts)

    private static let count = Route(
        method: .get, path: "/api/v1/counts", operation: "countEntries", tag: "Entries",
        summary: "Count entries, for example by tag or by cluster and month.",
        details: "An entry with several tags is counted once for each. Periods are in the order of the "
            + "calendar, in the time zone of the server, and other values by their numbers of entries, "
            + "largest first.",
        parameters: [.query("by", by), .query("limit", limit)] + EntrySelection.parameters,
        answers: [
            Route.Answer(
                200, "The numbers of entries.",
                .json(
                    Schema.object(
                        named: "EntryCounts",
                        [
                            "total": Schema.integer("The number of entries that match."),
                            "counts": Schema.array(
                                of: Schema.object(
                                    named: "EntryCount",
                                    [
                                        "values": Schema.array(
                                            of: Schema.nullable(Schema.string("A value.")),
                                            "The values of the properties in their order; null for entries "
                                                + "without a value."),
                                        "count": Schema.integer("The number of entries."),
                                    ], required: ["values", "count"], isOpen: true),
                                "The first counts; empty without 'by'."),
                            "omitted": Schema.integer("The number of further counts, if there are any."),
                        ], required: ["total", "counts"], isOpen: true)))
        ]
    ) { call in
        let names = (call.values["by"]?.elements ?? []).compactMap(\.asString)
        let properties = names.compactMap(EntryProperty.init)
        guard properties.count == names.count else {
            throw Problem.invalid("'by' must be a property or a metadata key")
        }
        guard Set(properties).count == properties.count else {
            throw Problem.invalid("'by' must name different properties")
        }
        return try await call.context.handle.use { store in
            var values = call.values
            values["by"] = nil
            let filter = try await EntrySelection.filter(
                .object(values), in: try await store.storage.snapshot())
            let counts = properties.isEmpty ? [] : try await store.counts(by: properties, matching: filter)
            let shown = counts.prefix(call.integer("limit", default: standardCounts))
            var members: [String: JSONValue] = [
                "total": .count(try await store.count(matching: filter)),
                "counts": .array(
                    shown.map { count in
                        [
                            "values": .array(count.values.map { $0.map { .string($0) } ?? .null }),
                            "count": .count(count.count),
                        ]
                    }),
            ]
            if shown.count < counts.count { members["omitted"] = .count(counts.count - shown.count) }
            return .json(.object(members))
        }
    }
}
