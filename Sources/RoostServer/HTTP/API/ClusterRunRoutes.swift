import Foundation
import HTTPTypes
import Roost
import RoostClustering
import RoostModel

enum ClusterRunRoutes {
    static let all = [recluster, diff]

    private static let recluster = Route(
        method: .post, path: "/api/v1/clusters/recluster", operation: "recluster", tag: ClusterRoutes.tag,
        summary: "Cluster all entries.",
        details:
            "The answer comes at the end of the run, which takes seconds for 10,000 entries. Other requests "
            + "can read and write while it runs.",
        effect: .writes,
        body: .json(
            Schema.object(
                named: "ReclusterRequest",
                [
                    "clusters": Schema.integer(
                        "The number of clusters; determined from the entries if absent.", 2...100_000),
                    "granularity": Schema.choice(
                        LeidenClusterer.Granularity.allCases.map(\.rawValue),
                        "Whether to create larger or smaller clusters than usual; not with `clusters`."),
                    "dryRun": Schema.flag("Whether to report the result without storing it."),
                ])),
        answers: [
            Route.Answer(
                200, "The result of the run.",
                .json(
                    Schema.object(
                        named: "ReclusterReport",
                        [
                            "clusters": Schema.integer("The number of clusters of all levels."),
                            "outliers": Schema.integer("The number of entries in no cluster."),
                            "continued": Schema.integer("The number of clusters that were kept."),
                            "dryRun": Schema.flag("Whether the result was not stored."),
                            "notices": Schema.array(
                                of: Schema.string("A sentence."), "Notices about the run."),
                        ], required: ["clusters", "outliers", "continued", "dryRun", "notices"], isOpen: true
                    )))
        ]
    ) { call in
        let body = call.body
        let granularity = body["granularity"]?.asString.flatMap(LeidenClusterer.Granularity.init) ?? .medium
        guard body["clusters"]?.integer == nil || granularity == .medium else {
            throw Problem.invalid(
                "body.clusters cannot be combined with body.granularity, which applies only if Roost chooses "
                    + "the number of clusters")
        }
        return try await call.context.handle.use { store in
            let report = try await store.recluster(
                clusters: body["clusters"]?.integer, granularity: granularity,
                isDryRun: body["dryRun"]?.flag ?? false)
            return .json([
                "clusters": .count(report.clusters.count), "outliers": .count(report.outlierCount),
                "continued": .count(report.continuedCount), "dryRun": .bool(report.isDryRun),
                "notices": .array(report.notices.map { .string($0) }),
            ])
        }
    }

    private static let side = Schema.object(
        named: "ClusterSize",
        [
            "id": Schema.id("The id of the cluster."), "label": Schema.string("The label."),
            "size": Schema.integer("The number of members."),
        ], required: ["id", "label", "size"], isOpen: true)

    private static let diff = Route(
        method: .get, path: "/api/v1/clusters/diff", operation: "getClusterDiff", tag: ClusterRoutes.tag,
        summary: "Compare the clusters with those of the previous run.",
        answers: [
            Route.Answer(
                200, "The differences.",
                .json(
                    Schema.object(
                        named: "ClusterDiff",
                        [
                            "events": Schema.array(
                                of: Schema.object(
                                    named: "ClusterEvent",
                                    [
                                        "kind": Schema.choice(
                                            ClusterLineage.Kind.allCases.map(\.rawValue), "The kind."),
                                        "before": Schema.array(of: side, "The clusters before."),
                                        "after": Schema.array(of: side, "The clusters after."),
                                    ], required: ["kind", "before", "after"], isOpen: true), "The events."),
                            "continued": Schema.array(
                                of: Schema.object(
                                    named: "ContinuedCluster",
                                    [
                                        "id": Schema.id("The id of the cluster."),
                                        "label": Schema.string("The label."),
                                        "sizeBefore": Schema.integer("The size before."),
                                        "size": Schema.integer("The size after."),
                                        "kept": Schema.integer("The number of members in both."),
                                    ], required: ["id", "label", "sizeBefore", "size", "kept"], isOpen: true),
                                "The clusters that exist before and after."),
                        ], required: ["events", "continued"], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let lineage = try await store.clusterLineage()
            func json(_ side: ClusterLineage.Side) -> JSONValue {
                ["id": .string(side.id.text), "label": .string(side.label), "size": .count(side.size)]
            }
            return .json([
                "events": .array(
                    lineage.events.map { event in
                        [
                            "kind": .string(event.kind.rawValue), "before": .array(event.before.map(json)),
                            "after": .array(event.after.map(json)),
                        ]
                    }),
                "continued": .array(
                    lineage.continued.map { cluster in
                        [
                            "id": .string(cluster.id.text), "label": .string(cluster.label),
                            "sizeBefore": .count(cluster.sizeBefore), "size": .count(cluster.size),
                            "kept": .count(cluster.kept),
                        ]
                    }),
            ])
        }
    }
}
