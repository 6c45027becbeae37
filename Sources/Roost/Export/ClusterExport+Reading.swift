import Foundation
import RoostClustering
import RoostModel

extension ClusterExport {
    /// Reads the clusters and the texts of their members from a snapshot.
    init(_ snapshot: any StorageSnapshot, withEmbeddings: Bool) async throws {
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        let entries = Dictionary(
            try await snapshot.entries(assignments.map(\.entry)).map { ($0.id, $0) }
        ) { first, _ in first }
        let outdated = clusters.clustersWithOutdatedLabels()
        let byCluster = Dictionary(grouping: assignments.filter { $0.cluster != nil }) { $0.cluster }
        let groups = clusters.map { cluster in
            let members = (byCluster[cluster.id] ?? []).sorted {
                ($1.similarity, $0.entry) < ($0.similarity, $1.entry)
            }
            var group = Group(cluster, members, entries, withEmbeddings: withEmbeddings)
            if outdated.contains(cluster.id) { group.labelOutdated = true }
            return group
        }
        let outliers = assignments.compactMap { assignment -> Outlier? in
            guard let reason = assignment.outlierReason, let entry = entries[assignment.entry] else {
                return nil
            }
            return Outlier(
                id: entry.id.text, content: entry.content, reason: reason.rawValue,
                similarity: assignment.similarity, source: entry.source, metadata: entry.metadata,
                tags: entry.tags)
        }
        let run = try await snapshot.clusteringRun()
        self.init(
            run: run.map(Run.init),
            lineage: .init(ClusterLineage(of: clusters, vanished: run?.vanished ?? [])),
            clusters: Self.nested(groups, clusters), outliers: outliers,
            unassignedCount: snapshot.stamp.entryCount - assignments.count)
    }

    /// Nests the groups of clusters in those of their parents, as ``ClusterForest`` does.
    private static func nested(_ groups: [Group], _ clusters: [Cluster]) -> [Group] {
        let forest = ClusterForest(clusters)
        let byID = Dictionary(zip(clusters.map(\.id), groups)) { first, _ in first }
        func nested(_ cluster: Cluster) -> Group? {
            guard var group = byID[cluster.id] else { return nil }
            let below = forest.children(of: cluster)
            guard !below.isEmpty else { return group }
            let children = largestFirst(below.compactMap(nested))
            group.size += children.reduce(0) { $0 + $1.size }
            group.children = children
            return group
        }
        return largestFirst(forest.roots.compactMap(nested))
    }

    private static func largestFirst(_ groups: [Group]) -> [Group] {
        groups.sorted { ($1.size, $0.label, $0.id) < ($0.size, $1.label, $1.id) }
    }
}

extension ClusterExport.Group {
    fileprivate init(
        _ cluster: Cluster, _ members: [Assignment], _ entries: [Entry.ID: Entry], withEmbeddings: Bool
    ) {
        self.init(
            id: cluster.id.text, label: cluster.label, pinned: cluster.isLabelPinned,
            labeledBy: cluster.labeledBy, keywords: cluster.keywords, size: members.count,
            cohesion: cluster.cohesion, separation: cluster.separation, silhouette: cluster.silhouette,
            stability: cluster.stability, parent: cluster.parent?.text,
            representatives: cluster.representatives.map(\.text), origins: cluster.origins,
            createdAt: DateText.string(from: cluster.createdAt),
            updatedAt: DateText.string(from: cluster.updatedAt),
            centroid: withEmbeddings ? cluster.centroid : nil,
            members: members.compactMap { assignment in
                entries[assignment.entry].map { entry in
                    ClusterExport.Member(
                        id: entry.id.text, content: entry.content, similarity: assignment.similarity,
                        confidence: assignment.confidence, source: entry.source, metadata: entry.metadata,
                        tags: entry.tags, embeddings: withEmbeddings ? entry.embeddings : nil)
                }
            })
    }
}

extension ClusterExport.Run {
    fileprivate init(_ run: ClusteringRun) {
        self.init(
            id: run.id.text, algorithm: run.algorithm, parameters: run.parameters, seed: run.seed,
            stamp: run.stamp, dataDigest: run.dataDigest, silhouette: run.silhouette,
            stability: run.stability, createdAt: DateText.string(from: run.createdAt))
    }
}
