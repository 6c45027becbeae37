import Foundation
public import RoostClustering
import RoostFiles
public import RoostModel
import RoostVectors

/// The extent to which a store has changed since its clusters were created.
public struct ClusterDrift: Sendable, Hashable, Encodable {
    /// The number of entries in the store.
    public var entries: Int
    /// The number of entries that are in a cluster.
    public var clustered: Int
    /// The number of entries that the last run classified as outliers.
    public var outliers: Int
    /// The number of entries without an assignment: they were added since the last run and are near no
    /// cluster, were removed from a cluster, or have no vector.
    public var unassigned: Int
    /// The number of entries that were assigned to a cluster after the last run, either automatically when
    /// they were added, or by a person.
    public var placedSince: Int
    /// The number of entries that still have the assignment that the last run gave them.
    public var unchanged: Int
    /// The number of entries that the last run clustered; 0 if no run created the clusters.
    public var entriesOfRun: Int
    /// The mean cosine similarity between clustered entries and their centroids, computed only over entries
    /// that still have the assignment of the last run; `nil` without any.
    public var cohesionOfRun: Double?
    /// The mean cosine similarity between all clustered entries and their centroids; `nil` without any.
    public var cohesion: Double?
    /// The reasons to cluster again; otherwise empty.
    public var reasons: [String]

    /// Whether there is a reason to cluster again.
    public var isDue: Bool { !reasons.isEmpty }
}

extension ClusterDrift {
    static let maximumUnassigned = 0.05
    static let maximumChanged = 0.2
    static let maximumCohesionLoss = 0.02

    fileprivate init(of snapshot: any StorageSnapshot) async throws {
        guard snapshot.stamp.clusterCount > 0 else { throw Self.noClusters }
        let run = try await snapshot.clusteringRun()
        let assignments = try await snapshot.assignments(of: nil)
        let clustered = assignments.filter { $0.cluster != nil }
        let ofRun = run.map { run in assignments.filter { $0.run == run.id } } ?? []
        let entries = snapshot.stamp.entryCount
        self.init(
            entries: entries, clustered: clustered.count, outliers: assignments.count - clustered.count,
            unassigned: max(0, entries - assignments.count),
            placedSince: clustered.count { $0.run == nil || $0.run != run?.id },
            unchanged: ofRun.count, entriesOfRun: run?.stamp.entryCount ?? 0,
            cohesionOfRun: Self.meanSimilarity(ofRun.filter { $0.cluster != nil }),
            cohesion: Self.meanSimilarity(clustered), reasons: [])
        reasons = reasons(hasRun: run != nil)
    }

    static var noClusters: RoostError {
        RoostError(.emptyStore, "the store has no clusters", remedy: .recluster)
    }

    private static func meanSimilarity(_ assignments: [Assignment]) -> Double? {
        guard !assignments.isEmpty else { return nil }
        return assignments.reduce(0) { $0 + Double($1.similarity) } / Double(assignments.count)
    }

    private func reasons(hasRun: Bool) -> [String] {
        var reasons: [String] = []
        if Double(unassigned) > Self.maximumUnassigned * Double(entries) {
            let percentage = Int((100 * Double(unassigned) / Double(max(1, entries))).rounded())
            reasons.append("\(unassigned) of \(entries) entries (\(percentage)%) are in no cluster")
        }
        let changed = max(entries, entriesOfRun) - unchanged
        if hasRun, Double(changed) > Self.maximumChanged * Double(entriesOfRun) {
            reasons.append(
                "at least \(changed) \(changed == 1 ? "entry was" : "entries were") added, removed or "
                    + "reassigned since the last run, which clustered \(entriesOfRun)")
        }
        if let old = cohesionOfRun, let new = cohesion, old - new > Self.maximumCohesionLoss {
            func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
            reasons.append(
                "entries within a cluster are less similar than after the last run (mean cosine with the "
                    + "centroid \(rounded(new)), was \(rounded(old)))")
        }
        return reasons
    }
}

extension StoreClusters {
    /// Measures how much the store has changed since its clusters were created, and whether to cluster again.
    ///
    /// A new run is recommended if more than 5% of the entries are unassigned; if the number of entries that
    /// were added, removed or moved is more than 20% of the entries of the last run; or if the mean cosine
    /// with the centroids has fallen by more than 0.02.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no clusters; `StorageError`.
    /// - Complexity: O(assignments).
    public func drift() async throws -> ClusterDrift {
        try await Computation.run { try await ClusterDrift(of: storage.snapshot()) }
    }

    /// Returns the relation of the current clusters to the previous ones.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no clusters, or with `.notFound` if the
    ///   clusters were created by an older version, which did not record the lineage; `StorageError`.
    public func lineage() async throws -> ClusterLineage {
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

/// A cluster, and its similarity to a text.
public struct ClusterMatch: Sendable, Hashable {
    /// The cluster, with its members.
    public var cluster: Cluster
    /// The cosine of the vectors of the text and of the centroid, from -1 to 1.
    public var similarity: Float

    /// Returns the clusters of all levels, the most similar to a text first. Clusters without a centroid are
    /// last.
    package static func matches(
        of text: String, among clusters: [Cluster], _ embedder: any Embedder
    ) async throws -> [ClusterMatch] {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot find clusters: the text is empty; enter words to search for")
        }
        guard !clusters.isEmpty else { return [] }
        let vector = try await embedder.checkedEmbeddings([text], as: .query).vectors.row(0)
        let matches = clusters.map { cluster in
            let isComparable = cluster.centroid.count == vector.count
            return ClusterMatch(
                cluster: cluster, similarity: isComparable ? innerProduct(cluster.centroid, vector) : -1)
        }
        return matches.sorted { ($1.similarity, $0.cluster.id) < ($0.similarity, $1.cluster.id) }
    }
}

extension StoreClusters {
    /// Returns the clusters of all levels, the most similar to a text first: those that contain entries about
    /// the subject of the text, even if no label names it. Empty before the first run.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; `EmbedderError`; `StorageError`.
    @concurrent
    public func matching(_ text: String) async throws -> [ClusterMatch] {
        try await ClusterMatch.matches(of: text, among: all(), boilerplate.embedder)
    }
}
