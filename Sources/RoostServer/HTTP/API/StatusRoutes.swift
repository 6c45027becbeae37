import HTTPTypes
import Roost
import RoostModel

enum StatusRoutes {
    private static let tag = "Status"
    private static let state = Route.Body.json(
        Schema.object(named: "Health", ["status": Schema.string("`ok`.")], required: ["status"], isOpen: true)
    )

    static let all = [status, live]

    private static let status = Route(
        method: .get, path: "/api/v1/status", operation: "getStatus", tag: tag,
        summary: "Describe the store and the server.",
        answers: [Route.Answer(200, "The status.", .json(Schema.reference("Status")))]
    ) { call in
        try await call.context.handle.use { store in
            let stamp = try await store.storage.snapshot().stamp
            let space = store.embedder.space
            return .json([
                "version": .string(call.context.settings.version), "store": .string(stamp.store.text),
                "epoch": .string(stamp.epoch.text), "revision": .integer(Int64(stamp.revision.rawValue)),
                "entries": .count(stamp.entryCount), "clusters": .count(stamp.clusterCount),
                "model": .string(space.model), "dimension": .count(space.dimension),
                "readOnly": .bool(call.context.settings.isReadOnly || store.isReadOnly),
            ])
        }
    }

    static let schema = Schema.object(
        [
            "version": Schema.string("The version of Roost."), "store": Schema.id("The id of the store."),
            "epoch": Schema.id("The id of the store's history; a restore begins another one."),
            "revision": Schema.integer("The revision of the latest change."),
            "entries": Schema.integer("The number of entries."),
            "clusters": Schema.integer("The number of clusters of all levels."),
            "model": Schema.string("The embedding model."),
            "dimension": Schema.integer("The number of dimensions of embeddings."),
            "readOnly": Schema.flag("Whether the store can only be read."),
        ],
        required: [
            "version", "store", "epoch", "revision", "entries", "clusters", "model", "dimension", "readOnly",
        ], isOpen: true, "The state of the store and the server.")

    private static let live = Route(
        method: .get, path: "/livez", operation: "isLive", tag: tag,
        summary: "Report that the process answers requests.", needsToken: false,
        answers: [Route.Answer(200, "The process answers.", state)]
    ) { _ in .json(["status": "ok"]) }
}
