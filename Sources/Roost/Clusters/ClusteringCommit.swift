import RoostClustering
import RoostModel

struct ClusteringCommit: Sendable {
    let storage: any StorageProvider
    var isDryRun = false

    /// Commits the clusters. If other clusters were committed in the meantime, the new groups are matched
    /// with those instead, to keep the labels that people gave.
    func run(
        _ assembly: ClusterAssembly, _ run: ClusteringRun, readFrom first: any StorageSnapshot
    ) async throws -> ReclusterReport {
        var isFirstAttempt = true
        return try await ConflictRetry.standard.run {
            let snapshot = isFirstAttempt ? first : try await storage.snapshot()
            isFirstAttempt = false
            let previous = try await snapshot.clusters()
            let revision = try await snapshot.clustersRevision()
            let overlap = try await assembly.overlap(with: previous, in: snapshot)
            let clustering = assembly.finish(run: run, previous: previous, overlap)
            try Task.checkCancellation()
            if !isDryRun {
                _ = try await storage.commit(
                    WriteBatch(clustering: clustering, expecting: .init(clusters: revision)))
            }
            return report(clustering, previous)
        }
    }

    private func report(_ clustering: WriteBatch.Clustering, _ previous: [Cluster]) -> ReclusterReport {
        guard let run = clustering.run else { preconditionFailure("the clustering of a run has a run") }
        let previousIDs = Set(previous.map(\.id))
        let parents = Set(clustering.clusters.compactMap(\.parent))
        let ids = Set(clustering.clusters.map(\.id))
        var report = ReclusterReport(
            run: run, clusters: clustering.clusters,
            outlierCount: clustering.assignments.count { $0.cluster == nil },
            continuedCount: clustering.clusters.count {
                previousIDs.contains($0.id) && !parents.contains($0.id)
            },
            lineage: ClusterLineage(of: clustering.clusters, vanished: run.vanished), isDryRun: isDryRun)
        report.ended = Self.withAllMembers(previous) { !ids.contains($0.id) }.sorted {
            ($0.isLabelPinned ? 0 : 1, $1.members.count, $0.id)
                < ($1.isLabelPinned ? 0 : 1, $0.members.count, $1.id)
        }
        return report
    }

    /// Returns the clusters that a condition selects. A cluster that contains others gets the members of
    /// those, so that its size is known without them.
    private static func withAllMembers(
        _ clusters: [Cluster], where isSelected: (Cluster) -> Bool
    ) -> [Cluster] {
        var selected = clusters.filter(isSelected)
        let parents = Set(clusters.compactMap(\.parent))
        guard selected.contains(where: { parents.contains($0.id) }) else { return selected }
        let members = clusters.membersByCluster()
        for index in selected.indices { selected[index].members = members[selected[index].id] ?? [] }
        return selected
    }
}
