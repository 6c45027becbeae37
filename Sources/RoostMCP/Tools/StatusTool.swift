import Roost
import RoostModel

/// The tool that describes the store.
struct StatusTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    let definition = ToolDefinition(
        name: "status", title: "Describe the store",
        description: "Returns the number of entries and clusters, the embedding model and the permissions.",
        effect: .reads, input: [],
        output: [
            ToolProperty(
                "entries", .integer(0...Int.max), isRequired: true, "The number of visible entries."),
            ToolProperty("clusters", .integer(0...Int.max), "The number of clusters of both levels."),
            ToolProperty("model", .string(maximumBytes: .max), isRequired: true, "The embedding model."),
            ToolProperty(
                "revision", .string(maximumBytes: .max), isRequired: true, "The revision of the store."),
            ToolProperty("readOnly", .flag, isRequired: true, "Whether the store can only be read."),
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        try await handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let visible = try await snapshot.rows(matching: rules.restricting()).count
            var members: [String: JSONValue] = [
                "entries": .integer(Int64(visible)),
                "model": .string(store.embedder.space.model),
                "revision": .string(String(snapshot.stamp.revision.rawValue)),
                "readOnly": .bool(rules.isReadOnly),
            ]
            if rules.showsClusters {
                members["clusters"] = .integer(Int64(snapshot.stamp.clusterCount))
                if let run = try await snapshot.clusteringRun() {
                    members["reclusteredAt"] = .string(DateText.string(from: run.createdAt))
                }
            }
            if !rules.tags.isEmpty { members["tags"] = .array(rules.tags.sorted().map { .string($0) }) }
            return .object(members)
        }
    }
}
