import RoostClustering
import RoostModel

extension ClusterLineage {
    /// Reads the lineage of a store's clusters.
    ///
    /// - Throws: See ``KnowledgeStore/clusterLineage()``.
    static func read(_ storage: any StorageProvider) async throws -> ClusterLineage {
        let snapshot = try await storage.snapshot()
        let clusters = try await snapshot.clusters()
        guard !clusters.isEmpty else { throw ClusterDrift.noClusters }
        let run = try await snapshot.clusteringRun()
        // Versions that did not record the digest of a run did not record origins either, so all clusters
        // would seem new.
        guard run == nil || run?.dataDigest != nil else {
            throw RoostError(
                .notFound,
                "the clusters have no lineage: an older version of Roost created them without recording it",
                remedy: .recluster)
        }
        return ClusterLineage(of: clusters, vanished: run?.vanished ?? [])
    }
}
