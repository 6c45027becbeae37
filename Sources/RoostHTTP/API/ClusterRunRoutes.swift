import Foundation
import HTTPTypes
import Roost
import RoostClustering
import RoostMCP
import RoostModel

/// The routes that cluster all entries and compare the result with the previous one.
enum ClusterRunRoutes {
    static let all = [recluster, drift, diff]

    private static let recluster = Route(
        method: .post, path: "/api/v1/clusters/recluster", operation: "recluster", tag: ClusterRoutes.tag,
        summary: "Cluster all entries.",
        details: "The run is a job; see /api/v1/jobs/{id}. Other requests can read and write while it runs.",
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
                202, "The job has begun.", .json(Schema.reference("Job")),
                headers: ["Location": "The address of the job."])
        ]
    ) { call in
        let granularity =
            call.body["granularity"]?.asString.flatMap(LeidenClusterer.Granularity.init) ?? .medium
        let (handle, body) = (call.context.handle, call.body)
        guard body["clusters"]?.integer == nil || granularity == .medium else {
            throw Problem.invalid(
                "body.clusters cannot be combined with body.granularity, which applies only if Roost chooses "
                    + "the number of clusters")
        }
        let job = try await call.context.jobs.start("recluster") { progress in
            try await handle.use { store in
                let report = try await store.recluster(
                    clusters: body["clusters"]?.integer, granularity: granularity,
                    isDryRun: body["dryRun"]?.flag ?? false
                ) { progress($0.share, $0.step.rawValue) }
                return [
                    "clusters": .count(report.clusters.count), "outliers": .count(report.outlierCount),
                    "continued": .count(report.continuedCount), "dryRun": .bool(report.isDryRun),
                    "notices": .array(report.notices.map { .string($0) }),
                ]
            }
        }
        return JobRoutes.accepted(job, call)
    }

    private static let drift = Route(
        method: .get, path: "/api/v1/clusters/drift", operation: "getDrift", tag: ClusterRoutes.tag,
        summary: "Report how much the store has changed since the last clustering run.",
        answers: [
            Route.Answer(
                200, "The drift.",
                .json(
                    Schema.object(
                        named: "ClusterDrift",
                        [
                            "isDue": Schema.flag("Whether a run is due."),
                            "entries": Schema.integer("The number of entries."),
                            "clustered": Schema.integer("The number of entries in clusters."),
                            "outliers": Schema.integer("The number of entries in no cluster."),
                            "unassigned": Schema.integer("The number of entries without an assignment."),
                            "placedSince": Schema.integer(
                                "The number of entries that were assigned after the run."),
                            "unchanged": Schema.integer(
                                "The number of entries with the assignment of the run."),
                            "entriesOfRun": Schema.integer(
                                "The number of entries that the run clustered; 0 without a run."),
                            "cohesionOfRun": Schema.number(
                                "The mean cosine similarity of unchanged entries to their centroids."),
                            "cohesion": Schema.number(
                                "The mean cosine similarity of clustered entries to their centroids."),
                            "reasons": Schema.array(
                                of: Schema.string("A sentence."), "Why a run is due."),
                        ],
                        required: [
                            "isDue", "entries", "clustered", "outliers", "unassigned", "placedSince",
                            "unchanged", "entriesOfRun", "reasons",
                        ], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let drift = try await store.clusterDrift()
            var members = try JSONValue.encoding(drift).members ?? [:]
            members["isDue"] = .bool(drift.isDue)
            return .json(.object(members))
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
