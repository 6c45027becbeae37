import Roost
import RoostModel

struct ClustersTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumLimit = 200
    private static let defaultLimit = 50

    private static let maximumKeywords = 8
    private static let maximumQueryLength = 1_000

    let definition = ToolDefinition(
        name: "clusters", title: "Browse the clusters",
        description:
            "Without arguments, returns the clusters of the store with labels, keywords and sizes, largest "
            + "first; a cluster with a 'parent' is part of that cluster. With 'query', the clusters that are "
            + "most similar to a text come first. With 'cluster', returns the members of that cluster.",
        effect: .reads,
        input: [
            ToolProperty(
                "cluster", .string(maximumBytes: EntryLookup.maximumNameLength),
                "The id or label of a cluster whose members to return."),
            ToolProperty(
                "query", .string(maximumBytes: maximumQueryLength),
                "A text; the clusters that are most similar to it come first."),
            ToolProperty(
                "limit", .integer(1...maximumLimit),
                "The maximum number of results; \(defaultLimit) by default."),
        ] + ResultPage.arguments)

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        try await handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let offset = try PageCursor.position(of: arguments, at: snapshot.stamp)
            let limit = arguments.integer("limit", default: Self.defaultLimit)
            if let name = arguments.string("cluster") {
                guard arguments["query"] == nil else {
                    throw ToolFailure("'query' finds clusters; pass either 'query' or 'cluster'")
                }
                let lookup = EntryLookup(rules: rules, snapshot: snapshot)
                let records = try await snapshot.clusterRecords()
                let cluster = try lookup.cluster(name, among: records)
                let members = try await Self.members(of: cluster, among: records, snapshot)
                let page = Array(members.dropFirst(offset).prefix(limit))
                let items = try await snapshot.entries(page).map {
                    JSONValue.object(EntryJSON.summary(of: $0))
                }
                return ResultPage(
                    items, name: "members", offset: offset, isLast: offset + page.count >= members.count,
                    arguments, snapshot.stamp
                ).json
            }
            // The order and the sizes depend on all members, which one statement reads faster than one
            // statement per cluster would.
            let clusters = try await snapshot.clusters()
            let sizes = Self.sizes(of: clusters)
            var ordered = clusters.sorted {
                (sizes[$1.id] ?? 0, $0.id.text) < (sizes[$0.id] ?? 0, $1.id.text)
            }
            var similarities: [Cluster.ID: Float] = [:]
            if let query = arguments.string("query") {
                let matches = try await Self.matches(of: query, among: clusters, in: store)
                ordered = matches.map(\.cluster)
                for match in matches { similarities[match.cluster.id] = match.similarity }
            }
            let page = ordered.dropFirst(offset).prefix(limit)
            var other: [String: JSONValue] = [:]
            if clusters.isEmpty {
                let advice = FailureText.adviceToCluster(under: rules)
                other["notices"] = [.string("the store has no clusters yet; \(advice)")]
            }
            return ResultPage(
                page.map {
                    Self.summary(of: $0, size: sizes[$0.id] ?? 0, similarity: similarities[$0.id])
                }, name: "clusters", offset: offset,
                isLast: offset + page.count >= ordered.count, arguments, snapshot.stamp, with: other
            ).json
        }
    }

    private static func matches(
        of query: String, among clusters: [Cluster], in store: KnowledgeStore
    ) async throws -> [ClusterMatch] {
        guard !query.allSatisfy(\.isWhitespace) else { throw ToolFailure("'query' is empty") }
        return try await ClusterMatch.matches(of: query, among: clusters, store.embedder)
    }

    private static func summary(of cluster: Cluster, size: Int, similarity: Float?) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(cluster.id.text), "label": .string(cluster.label), "size": .integer(Int64(size)),
            "keywords": .array(cluster.keywords.prefix(maximumKeywords).map { .string($0) }),
        ]
        if cluster.cohesion.isFinite { members["cohesion"] = .rounded(cluster.cohesion) }
        members["parent"] = cluster.parent.map { .string($0.text) }
        if let similarity { members["similarity"] = .rounded(similarity) }
        return .object(members)
    }

    /// Returns the number of members of every cluster. A parent has the members of its children.
    private static func sizes(of clusters: [Cluster]) -> [Cluster.ID: Int] {
        let forest = ClusterForest(clusters)
        return Dictionary(clusters.map { ($0.id, forest.size(of: $0)) }) { first, _ in first }
    }

    /// Returns the members of a cluster and of those below it, nearest to their centroids first.
    static func members(
        of cluster: Cluster, among records: [Cluster], _ snapshot: any StorageSnapshot
    ) async throws -> [Entry.ID] {
        let ids = try await ClusterMembers(of: cluster, among: records, in: snapshot).ids()
        let assignments = try await snapshot.assignments(of: ids)
        let similarity = Dictionary(assignments.map { ($0.entry, $0.similarity) }) { first, _ in first }
        return ids.sorted {
            (similarity[$1] ?? 0, $0.text) < (similarity[$0] ?? 0, $1.text)
        }
    }
}
