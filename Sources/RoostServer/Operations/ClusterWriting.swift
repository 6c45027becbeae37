package import Roost
package import RoostClustering
import RoostModel
import Synchronization

/// An operation with which a person edits clusters.
protocol ClusterEdit: Operation {}

extension ClusterEdit {
    static var access: OperationAccess { OperationAccess(.changes, .everything) }
}

extension OperationContext {
    fileprivate func documents(of ids: [Cluster.ID]) async throws -> [ClusterDocument] {
        let clusters = try await store.storage.snapshot().clusters()
        let hierarchy = ClusterHierarchy(clusters)
        return try ids.map { hierarchy.document(try clusters.named($0.text)) }
    }
}

package struct ReclusterDocument: Codable, Sendable {
    package var clusters: Int
    package var outliers: Int
    package var continued: Int
    package var dryRun: Bool
    package var notices: [String]
    /// The changes that the run would make; only of a dry run, because `cluster_diff` has those of a saved one.
    package var lineage: ClusterLineage?

    package init(_ report: ReclusterReport) {
        (clusters, outliers) = (report.clusters.count, report.outlierCount)
        (continued, dryRun, notices) = (report.continuedCount, report.isDryRun, report.notices)
        lineage = report.isDryRun ? report.lineage : nil
    }
}

struct Recluster: Operation {
    typealias Output = ReclusterDocument

    var clusters: Int?
    var granularity: String?
    var dryRun: Bool?

    static let name = "recluster"
    static let summary = "Group all entries into labeled clusters."
    static let details =
        "Clusters keep their ids and the user's labels as long as most members stay."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.post, "/clusters/recluster")
    static let isTool = true
    static let parameters = [
        Argument(
            "clusters",
            Schema.integer(
                "The number of clusters. Default: determined by the entries.", 1...100_000)),
        Argument(
            "granularity",
            Schema.choice(
                LeidenClusterer.Granularity.allCases.map(\.rawValue),
                "Whether to create larger or smaller clusters than usual; not with 'clusters'."), .programs),
        Argument("dryRun", Schema.flag("Whether only to report the result."), .programs),
    ]

    func run(in context: OperationContext) async throws -> ReclusterDocument {
        let granularity = granularity.flatMap(LeidenClusterer.Granularity.init) ?? .medium
        guard clusters == nil || granularity == .medium else {
            throw OperationError(
                "'clusters' cannot be combined with 'granularity', which applies only if Roost chooses the number "
                    + "of clusters")
        }
        let reported = Mutex(-1)
        let report = try await context.store.recluster(
            clusters: clusters, granularity: granularity, isDryRun: dryRun ?? false
        ) { progress in
            // Reported numbers must grow, and the last one is that of the answer.
            let percent = Int(100 * progress.share)
            let hasGrown = reported.withLock { reported in
                guard percent > reported, percent < 100 else { return false }
                reported = percent
                return true
            }
            if hasGrown { context.report(percent, progress.step.rawValue) }
        }
        context.report(100, report.isDryRun ? "computed" : "saved")
        return ReclusterDocument(report)
    }
}

package struct MoveDocument: Codable, Sendable {
    /// The number of entries that were in another cluster before.
    package var moved: Int
    package var cluster: ClusterDocument?
}

struct MoveEntries: ClusterEdit {
    typealias Output = MoveDocument

    var cluster: String
    var entries: [String]

    static let name = "move_entries"
    static let summary = "Move entries to another cluster, or with 'none' out of their clusters."
    static let details =
        "The next run can assign them differently. A cluster without entries ends."
    static let route = OperationRoute(.post, "/clusters/{cluster}/members")
    static let parameters = [Argument.cluster, EntryValueParameters.entries]

    func run(in context: OperationContext) async throws -> MoveDocument {
        let isNone = cluster.lowercased() == EntrySelection.unclusteredName
        let id = isNone ? nil : try await context.cluster(cluster).id
        let moved = try await context.store.clusters.move(try TextValues.ids(entries, "entries"), to: id)
        return MoveDocument(
            moved: moved, cluster: try await context.documents(of: id.map { [$0] } ?? []).first)
    }
}

struct LabelCluster: ClusterEdit {
    typealias Output = ClusterDocument

    var cluster: String
    var label: String?

    static let name = "label_cluster"
    static let summary = "Set the label of a cluster, or reset it."
    static let route = OperationRoute(.patch, "/clusters/{cluster}")
    static let parameters = [
        Argument.cluster,
        Argument(
            "label",
            Schema.nullable(
                Schema.string(
                    "The label, which later runs keep; null resets it.", minimum: 1,
                    maximum: StoreClusters.maximumLabelLength)), .required),
    ]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let labeled = try await context.store.clusters.label(try await context.cluster(cluster).id, as: label)
        return try await context.documents(of: [labeled.id])[0]
    }
}

package struct RemovedClusterDocument: Codable, Sendable {
    package var removed: String
    package var entries: Int
}

struct RemoveCluster: ClusterEdit {
    typealias Output = RemovedClusterDocument

    var cluster: String

    static let name = "remove_cluster"
    static let summary = "Remove a cluster, but keep its entries."
    static let route = OperationRoute(.delete, "/clusters/{cluster}")
    static let parameters = [Argument.cluster]

    func run(in context: OperationContext) async throws -> Output {
        let found = try await context.snapshot.clusters().named(cluster)
        try await context.store.clusters.delete(found.id)
        return RemovedClusterDocument(removed: found.id.text, entries: found.members.count)
    }
}

struct MergeClusters: ClusterEdit {
    typealias Output = ClusterDocument

    var clusters: [String]

    static let name = "merge_clusters"
    static let summary = "Merge clusters into the first one."
    static let route = OperationRoute(.post, "/clusters/merge")
    static let parameters = [
        Argument(
            "clusters",
            Schema.array(
                of: Schema.string("The id or label of a cluster, or an unambiguous part.", minimum: 1),
                "The clusters.", minimum: 2, maximum: 1_000),
            .required)
    ]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let records = try await context.snapshot.clusterRecords()
        let merged = try await context.store.clusters.merge(try clusters.map { try records.named($0).id })
        return try await context.documents(of: [merged.id])[0]
    }
}

package struct SplitDocument: Codable, Sendable {
    package var clusters: [ClusterDocument]
}

struct SplitCluster: ClusterEdit {
    typealias Output = SplitDocument

    var cluster: String
    var parts: Int?

    static let name = "split_cluster"
    static let summary = "Split a cluster into parts."
    static let route = OperationRoute(.post, "/clusters/{cluster}/split")
    static let parameters = [
        Argument.cluster,
        Argument("parts", Schema.integer("The number of parts; 2 by default.", 2...100)),
    ]

    func run(in context: OperationContext) async throws -> Output {
        let parts = try await context.store.clusters.split(
            try await context.cluster(cluster).id, into: parts ?? 2)
        return SplitDocument(clusters: try await context.documents(of: parts.map(\.id)))
    }
}
