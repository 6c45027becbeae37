import Foundation
import RoostClustering
import RoostModel

extension ClusterExport {
    /// Reads the clusters and the texts of their members from a snapshot.
    ///
    /// - Throws: `StorageError`.
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
                ($1.similarity, $0.entry.uuidString) < ($0.similarity, $1.entry.uuidString)
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
            clusters: Self.nested(groups), outliers: outliers,
            unassignedCount: snapshot.stamp.entryCount - assignments.count)
    }

    /// Nests clusters in their parents. A cluster whose ancestors form a cycle is at the top.
    private static func nested(_ groups: [Group]) -> [Group] {
        let parents = Dictionary(groups.map { ($0.id, $0.parent) }) { first, _ in first }
        func isRoot(_ group: Group) -> Bool {
            var (next, seen) = (group.parent, Set([group.id]))
            guard let parent = next, parents[parent] != nil else { return true }
            while let parent = next {
                guard seen.insert(parent).inserted else { return true }
                next = parents[parent] ?? nil
            }
            return false
        }
        let roots = groups.filter(isRoot)
        let rootIDs = Set(roots.map(\.id))
        let children = Dictionary(grouping: groups.filter { !rootIDs.contains($0.id) }) { $0.parent ?? "" }
        func addingChildren(to group: Group) -> Group {
            guard let direct = children[group.id] else { return group }
            var group = group
            let nested = largestFirst(direct.map(addingChildren))
            group.size += nested.reduce(0) { $0 + $1.size }
            group.children = nested
            return group
        }
        return largestFirst(roots.map(addingChildren))
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
