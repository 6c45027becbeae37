package import Roost
import RoostClustering
import RoostModel
import Synchronization

/// An operation with which a person edits clusters. Agents are not offered it.
protocol ClusterEdit: Operation {}

extension ClusterEdit {
    static var access: OperationAccess { OperationAccess(.changes, .everything) }
    static var isTool: Bool { false }
}

extension OperationContext {
    /// Returns the id of a cluster that an operation changes.
    fileprivate func clusterID(_ name: String) async throws -> Cluster.ID {
        try cluster(name, among: try await snapshot.clusterRecords()).id
    }

    /// Returns the forms of clusters after a change.
    fileprivate func documents(of ids: [Cluster.ID]) async throws -> [ClusterDocument] {
        let clusters = try await store.storage.snapshot().clusters()
        let hierarchy = ClusterHierarchy(clusters)
        return try ids.map { hierarchy.document(try cluster($0.text, among: clusters)) }
    }
}

/// The JSON form of the result of a clustering run.
package struct ReclusterDocument: Codable, Sendable {
    /// The number of clusters of all levels.
    package var clusters: Int
    /// The number of entries in no cluster.
    package var outliers: Int
    /// The number of clusters that were kept.
    package var continued: Int
    package var dryRun: Bool
    package var notices: [String]

    package init(_ report: ReclusterReport) {
        (clusters, outliers) = (report.clusters.count, report.outlierCount)
        (continued, dryRun, notices) = (report.continuedCount, report.isDryRun, report.notices)
    }
}

struct Recluster: Operation {
    typealias Output = ReclusterDocument

    var clusters: Int?
    var granularity: String?
    var dryRun: Bool?

    static let name = "recluster"
    static let summary = "Groups all entries into labeled clusters."
    static let details =
        "Clusters keep their ids and the user's labels as long as most of their members stay. Takes seconds for "
        + "10,000 entries."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.post, "/clusters/recluster")
    static let returnsTexts = false
    static let parameters = [
        Argument(
            "clusters",
            Schema.integer(
                "The number of clusters; without it, the number is determined by the texts.", 1...100_000)),
        Argument(
            "granularity",
            Schema.choice(
                LeidenClusterer.Granularity.allCases.map(\.rawValue),
                "Whether to create larger or smaller clusters than usual; not with 'clusters'."), .programs),
        Argument("dryRun", Schema.flag("Whether to report the result without saving it.")),
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

struct MoveEntries: ClusterEdit {
    typealias Output = ClusterDocument

    var cluster: String
    var entries: [String]

    static let name = "move_entries"
    static let summary = "Moves entries to a cluster."
    static let details =
        "The next run can assign them differently. A cluster without entries ends."
    static let route = OperationRoute(.post, "/clusters/{cluster}/members")
    static let parameters = [
        Argument.cluster,
        Argument(
            "entries",
            Schema.array(
                of: Schema.string("The id of an entry."), "The entries.", minimum: 1, maximum: 10_000),
            .required),
    ]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let id = try await context.clusterID(cluster)
        try await context.store.clusters.move(try TextValues.ids(entries, "entries"), to: id)
        return try await context.documents(of: [id])[0]
    }
}

struct LabelCluster: ClusterEdit {
    typealias Output = ClusterDocument

    var cluster: String
    var label: String?

    static let name = "label_cluster"
    static let summary = "Sets the label of a cluster, or resets it with null."
    static let route = OperationRoute(.patch, "/clusters/{cluster}")
    static let parameters = [
        Argument.cluster,
        Argument(
            "label",
            Schema.nullable(
                Schema.string(
                    "The label, which later runs keep.", minimum: 1,
                    maximum: StoreClusters.maximumLabelLength)), .required),
    ]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let labeled = try await context.store.clusters.label(try await context.clusterID(cluster), as: label)
        return try await context.documents(of: [labeled.id])[0]
    }
}

struct RemoveCluster: ClusterEdit {
    struct Output: Codable, Sendable {
        /// The id of the cluster.
        var removed: String
    }

    var cluster: String

    static let name = "remove_cluster"
    static let summary = "Removes a cluster, but keeps its entries."
    static let route = OperationRoute(.delete, "/clusters/{cluster}")
    static let parameters = [Argument.cluster]

    func run(in context: OperationContext) async throws -> Output {
        let id = try await context.clusterID(cluster)
        try await context.store.clusters.delete(id)
        return Output(removed: id.text)
    }
}

struct MergeClusters: ClusterEdit {
    typealias Output = ClusterDocument

    var clusters: [String]

    static let name = "merge_clusters"
    static let summary = "Merges clusters into the first one."
    static let route = OperationRoute(.post, "/clusters/merge")
    static let parameters = [
        Argument(
            "clusters",
            Schema.array(
                of: Schema.string("The id of a cluster."), "The clusters.", minimum: 2, maximum: 1_000),
            .required)
    ]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let merged = try await context.store.clusters.merge(try TextValues.ids(clusters, "clusters"))
        return try await context.documents(of: [merged.id])[0]
    }
}

struct SplitCluster: ClusterEdit {
    struct Output: Codable, Sendable {
        /// The parts, largest first.
        var clusters: [ClusterDocument]
    }

    var cluster: String
    var parts: Int?

    static let name = "split_cluster"
    static let summary = "Splits a cluster into parts."
    static let route = OperationRoute(.post, "/clusters/{cluster}/split")
    static let parameters = [
        Argument.cluster,
        Argument("parts", Schema.integer("The number of parts; 2 by default.", 2...100)),
    ]

    func run(in context: OperationContext) async throws -> Output {
        let parts = try await context.store.clusters.split(
            try await context.clusterID(cluster), into: parts ?? 2)
        return Output(clusters: try await context.documents(of: parts.map(\.id)))
    }
}
