import Foundation
import Roost
import RoostConversations
import RoostModel

struct StatusTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumProperties = 2
    private static let maximumCounts = 100
    /// The maximum length of a value in counts, in characters.
    private static let maximumValueLength = 200

    let definition = ToolDefinition(
        name: "status", title: "Describe the store",
        description:
            "Returns the numbers of entries, messages and clusters, the embedding model, the permissions and "
            + "the time zone. With 'countBy', also returns the tags or other values of the entries.",
        effect: .reads,
        input: [
            ToolProperty(
                "countBy", .array(of: .string(maximumBytes: 200), maximumCount: maximumProperties),
                "Count the entries for each value of tag, cluster, source, folder, day, week, month, year, "
                    + "or a metadata key, or for each combination of two of them.")
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
                "timeZone": .string(TimeZone.current.identifier),
            ]
            if rules.showsClusters {
                members["clusters"] = .integer(Int64(snapshot.stamp.clusterCount))
                if let run = try await snapshot.clusteringRun() {
                    members["reclusteredAt"] = .string(DateText.string(from: run.createdAt))
                }
            }
            if rules.showsMessages {
                let filter = rules.scope.map { ConversationMemory.Filter($0) } ?? .all
                members["messages"] = .integer(
                    Int64(try await snapshot.rows(matching: filter.entries).count))
            }
            if !rules.tags.isEmpty { members["tags"] = .array(rules.tags.sorted().map { .string($0) }) }
            members["folder"] = rules.sourcePrefix.map { .string($0) }
            members["conversation"] = rules.scope.map {
                [
                    "user": .string($0.userId), "session": .string($0.sessionId),
                    "agent": .string($0.agentId),
                ]
            }
            let names = arguments.strings("countBy")
            if !names.isEmpty { members.merge(try await counts(by: names, in: store)) { $1 } }
            return .object(members)
        }
    }

    /// Returns the members with the numbers of entries by their values.
    private func counts(by names: [String], in store: KnowledgeStore) async throws -> [String: JSONValue] {
        let properties = names.compactMap(EntryProperty.init)
        guard properties.count == names.count else {
            throw ToolFailure("'countBy' takes properties and metadata keys")
        }
        guard Set(properties).count == properties.count else {
            throw ToolFailure("'countBy' must name different properties")
        }
        guard rules.showsClusters || !properties.contains(.cluster) else {
            throw ToolFailure("'cluster' cannot be used: this server shows only a part of the store")
        }
        let counts = try await store.counts(by: properties, matching: rules.restricting())
        let shown = counts.prefix(Self.maximumCounts).map { count -> JSONValue in
            let values = count.values.map {
                JSONValue.string(String(($0 ?? "").prefix(Self.maximumValueLength)))
            }
            return ["values": .array(values), "count": .integer(Int64(count.count))]
        }
        var members: [String: JSONValue] = ["counts": .array(shown), "notice": EntryJSON.notice]
        if counts.count > shown.count { members["omitted"] = .integer(Int64(counts.count - shown.count)) }
        return members
    }
}
