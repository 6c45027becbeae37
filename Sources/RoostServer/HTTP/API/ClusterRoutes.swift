import Foundation
import HTTPTypes
import Roost
import RoostClustering
import RoostModel

enum ClusterRoutes {
    static let tag = "Clusters"
    private static let path = "/api/v1/clusters/{id}"
    private static let id = Parameter.path("id", Schema.id("The id of the cluster."))
    private static let cluster = Route.Body.json(Schema.reference("Cluster"))
    private static let maximumParts = 100

    static let all = [list, get, members, move, label, remove, merge, split] + ClusterRunRoutes.all

    private static let clusters = Route.Body.json(
        Schema.object(
            named: "ClusterList",
            ["clusters": Schema.array(of: Schema.reference("Cluster"), "The clusters.")],
            required: ["clusters"], isOpen: true))

    private static let list = Route(
        method: .get, path: "/api/v1/clusters", operation: "listClusters", tag: tag,
        summary: "List the clusters.",
        details: "Clusters of a lower level name their parent. With a query, they are in the order of their "
            + "similarity.",
        parameters: [
            .query(
                "query",
                Schema.string("List the clusters that are most similar to this text first.", maximum: 1_000))
        ],
        answers: [Route.Answer(200, "The clusters, largest or most similar first.", clusters)]
    ) { call in
        try await call.context.handle.use { store in
            if let query = call.values["query"]?.asString {
                let matches = try await store.clusters(matching: query)
                let tree = ClusterHierarchy(matches.map(\.cluster))
                return .json([
                    "clusters": .array(matches.map { tree.json($0.cluster, similarity: $0.similarity) })
                ])
            }
            let clusters = try await store.storage.snapshot().clusters()
            return .json(["clusters": .array(ClusterHierarchy(clusters).flat())])
        }
    }

    private static let get = Route(
        method: .get, path: path, operation: "getCluster", tag: tag, summary: "Return a cluster.",
        parameters: [id], answers: [Route.Answer(200, "The cluster.", cluster)]
    ) { call in
        let id = try call.id("id", of: "cluster")
        return try await call.context.handle.use { store in
            let clusters = try await store.storage.snapshot().clusters()
            let cluster = try find(id, in: clusters)
            return .json(ClusterHierarchy(clusters).json(cluster))
        }
    }

    private static let members = Route(
        method: .get, path: path + "/members", operation: "listClusterMembers", tag: tag,
        summary: "List the entries of a cluster and of the clusters below it.",
        parameters: [id] + PageCursor.parameters(maximum: 1_000, default: 100),
        answers: [
            Route.Answer(
                200, "One page of entries.",
                .json(
                    Schema.object(
                        named: "ClusterMemberPage",
                        [
                            "entries": Schema.array(of: Schema.reference("Entry"), "The entries."),
                            "count": Schema.integer("The number of all members."),
                            "nextCursor": PageCursor.property,
                        ], required: ["entries", "count"], isOpen: true)))
        ]
    ) { call in
        let id = try call.id("id", of: "cluster")
        return try await call.context.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let records = try await snapshot.clusterRecords()
            let all = try await ClusterMembers(of: try find(id, in: records), among: records, in: snapshot)
            let (start, count) = (try PageCursor.position(of: call, at: snapshot.stamp) ?? 0, all.count)
            let page = try await all.entries(from: start, limit: call.integer("limit", default: 100))
            var members: [String: JSONValue] = [
                "entries": .array(try await EntryDocument.json(page, in: snapshot)),
                "count": .count(count),
            ]
            if start + page.count < count {
                members["nextCursor"] = PageCursor.text(start + page.count, of: call, at: snapshot.stamp)
            }
            return .json(.object(members))
        }
    }

    private static let move = Route(
        method: .post, path: path + "/members", operation: "moveEntries", tag: tag,
        summary: "Move entries to a cluster.",
        details: "The next run can assign them differently. A cluster without entries ends.",
        effect: .writes, parameters: [id],
        body: .json(
            Schema.object(
                named: "ClusterMove",
                [
                    "entries": Schema.array(
                        of: Schema.id("The id of an entry."), "The entries.", minimum: 1, maximum: 10_000)
                ], required: ["entries"])),
        answers: [Route.Answer(200, "The cluster.", cluster)]
    ) { call in
        let id = try call.id("id", of: "cluster")
        let entries = try FilterArguments.ids(call.body, "entries")
        return try await call.context.handle.use { store in
            _ = try find(id, in: try await store.storage.snapshot().clusterRecords())
            try await store.moveEntries(entries, to: id)
            let clusters = try await store.storage.snapshot().clusters()
            return .json(ClusterHierarchy(clusters).json(try find(id, in: clusters)))
        }
    }

    private static let label = Route(
        method: .patch, path: path, operation: "labelCluster", tag: tag,
        summary: "Set the label of a cluster, or reset it with null.", effect: .writes, parameters: [id],
        body: .json(
            Schema.object(
                named: "ClusterLabel",
                [
                    "label": Schema.nullable(
                        Schema.string(
                            "The label, which later runs keep.", minimum: 1,
                            maximum: KnowledgeStore.maximumLabelLength))
                ], required: ["label"])),
        answers: [Route.Answer(200, "The cluster.", cluster)]
    ) { call in
        let id = try call.id("id", of: "cluster")
        return try await call.context.handle.use { store in
            _ = try find(id, in: try await store.storage.snapshot().clusterRecords())
            let labeled = try await store.labelCluster(id, as: call.body["label"]?.asString)
            let clusters = try await store.storage.snapshot().clusters()
            return .json(ClusterHierarchy(clusters).json(labeled))
        }
    }

    private static let remove = Route(
        method: .delete, path: path, operation: "removeCluster", tag: tag,
        summary: "Remove a cluster, but keep its entries.", effect: .writes, parameters: [id],
        answers: [Route.Answer(204, "The cluster was removed.")]
    ) { call in
        let id = try call.id("id", of: "cluster")
        return try await call.context.handle.use { store in
            _ = try find(id, in: try await store.storage.snapshot().clusterRecords())
            try await store.deleteCluster(id)
            return .empty()
        }
    }

    private static let merge = Route(
        method: .post, path: "/api/v1/clusters/merge", operation: "mergeClusters", tag: tag,
        summary: "Merge clusters into the first one.", effect: .writes,
        body: .json(
            Schema.object(
                named: "ClusterMerge",
                [
                    "clusters": Schema.array(
                        of: Schema.id("The id of a cluster."), "The clusters.", minimum: 2, maximum: 1_000)
                ], required: ["clusters"])),
        answers: [Route.Answer(200, "The merged cluster.", cluster)]
    ) { call in
        let ids = try FilterArguments.ids(call.body, "clusters")
        return try await call.context.handle.use { store in
            let merged = try await store.mergeClusters(ids)
            return .json(ClusterHierarchy(try await store.storage.snapshot().clusters()).json(merged))
        }
    }

    private static let split = Route(
        method: .post, path: path + "/split", operation: "splitCluster", tag: tag,
        summary: "Split a cluster into parts.", effect: .writes, parameters: [id],
        body: .json(
            Schema.object(
                named: "ClusterSplit",
                [
                    "parts": Schema.integer("The number of parts; 2 by default.", 2...maximumParts)
                ])),
        answers: [Route.Answer(200, "The parts, largest first.", clusters)]
    ) { call in
        let id = try call.id("id", of: "cluster")
        return try await call.context.handle.use { store in
            _ = try find(id, in: try await store.storage.snapshot().clusterRecords())
            let parts = try await store.splitCluster(id, into: call.body["parts"]?.integer ?? 2)
            let tree = ClusterHierarchy(try await store.storage.snapshot().clusters())
            return .json(["clusters": .array(parts.map(tree.json))])
        }
    }

    /// Returns the cluster with an id.
    ///
    /// - Throws: ``Problem`` with the status 404.
    static func find(_ id: Cluster.ID, in clusters: [Cluster]) throws(Problem) -> Cluster {
        guard let cluster = clusters.first(where: { $0.id == id }) else {
            throw .notFound("no cluster has the id \(id.text)")
        }
        return cluster
    }
}
