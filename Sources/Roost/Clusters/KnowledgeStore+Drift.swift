public import RoostClustering
import RoostModel

/// How far a store has moved from what its clusters were made of.
public struct ClusterDrift: Sendable, Hashable, Encodable {
    /// Entries in the store now.
    public var entries: Int
    /// Entries that are in a cluster.
    public var clustered: Int
    /// Entries that the last run left out.
    public var outliers: Int
    /// Entries that came since and are near no cluster, were taken out of one, or have no vectors.
    public var unassigned: Int
    /// Entries that were put into a cluster since, when they came or by hand.
    public var placedSince: Int
    /// Entries that are where the last run put them.
    public var unchanged: Int
    /// How many entries the last run saw; 0 where no run made the clusters.
    public var entriesOfRun: Int
    /// The mean cosine with the centroid of the entries that the run placed and that are as they were.
    public var cohesionOfRun: Double?
    /// The mean cosine with the centroid of all entries in clusters.
    public var cohesion: Double?
    /// Why it is time for another run; empty where it is not.
    public var reasons: [String]

    public var isDue: Bool { !reasons.isEmpty }

    enum CodingKeys: String, CodingKey {
        case entries, clustered, outliers, unassigned, placedSince, unchanged, entriesOfRun
        case cohesionOfRun, cohesion, reasons
    }
}

extension KnowledgeStore {
    /// From here on a run is due: so large a share of the entries is unassigned,
    static let mostUnassigned = 0.05
    /// so many have come and gone, as a share of those that the run saw,
    static let mostChanged = 0.2
    /// so much of the mean cosine with the centroid is lost.
    static let mostCohesionLost = 0.02

    /// Says whether it is time to recluster, and why.
    ///
    /// It is where more than 5% of the entries are unassigned, more than 20% of as many as the last run saw
    /// have come, gone or been moved, or the mean cosine with the centroids has fallen by more than 0.02.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` where there are no clusters; ``StorageError``.
    /// - Complexity: O(assignments).
    @concurrent
    public func clusterDrift() async throws -> ClusterDrift {
        let snapshot = try await storage.snapshot()
        guard snapshot.stamp.clusterCount > 0 else {
            throw RoostError(.emptyStore, "the store has no clusters yet; `roost recluster` makes them")
        }
        let run = try await snapshot.clusteringRun()
        let assignments = try await snapshot.assignments(of: nil)
        let placed = assignments.filter { $0.cluster != nil }
        let ofRun = run.map { run in assignments.filter { $0.run == run.id } } ?? []
        func mean(_ assignments: [Assignment]) -> Double? {
            guard !assignments.isEmpty else { return nil }
            return assignments.reduce(0) { $0 + Double($1.similarity) } / Double(assignments.count)
        }
        let conditions = run.map(\.conditions) ?? []
        var filter = EntryFilter.all
        filter.conditions = conditions ?? []
        let entries =
            filter.matchesAll ? snapshot.stamp.entryCount : try await snapshot.rows(matching: filter).count
        var drift = ClusterDrift(
            entries: entries, clustered: placed.count, outliers: assignments.count - placed.count,
            unassigned: max(0, entries - assignments.count),
            placedSince: placed.count { $0.run == nil || $0.run != run?.id },
            unchanged: ofRun.count, entriesOfRun: run?.groupedCount ?? 0,
            cohesionOfRun: mean(ofRun.filter { $0.cluster != nil }), cohesion: mean(placed), reasons: [])
        func percent(_ part: Int, _ whole: Int) -> String {
            "\(Int((100 * Double(part) / Double(max(1, whole))).rounded()))%"
        }
        // Where it cannot be told who is meant, it cannot be told who is missing.
        if conditions == nil { return drift }
        if Double(drift.unassigned) > Self.mostUnassigned * Double(entries) {
            drift.reasons.append(
                "\(drift.unassigned) of \(entries) entries (\(percent(drift.unassigned, entries))) are in "
                    + "no cluster")
        }
        let changed = max(entries, drift.entriesOfRun) - drift.unchanged
        if run != nil, Double(changed) > Self.mostChanged * Double(drift.entriesOfRun) {
            drift.reasons.append(
                "\(drift.unchanged) entries are where the last run put them; it saw \(drift.entriesOfRun), "
                    + "and there are \(entries) now")
        }
        if let before = drift.cohesionOfRun, let now = drift.cohesion, before - now > Self.mostCohesionLost {
            drift.reasons.append(
                "entries are less alike within their clusters than when the clusters were made (mean cosine "
                    + "with the centroid \((now * 1000).rounded() / 1000), was "
                    + "\((before * 1000).rounded() / 1000))")
        }
        return drift
    }

    /// What became of the clusters when they were last made or changed.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` where there are none, `.notFound` where an older version
    ///   made them; ``StorageError``.
    public func clusterLineage() async throws -> ClusterLineage {
        let snapshot = try await storage.snapshot()
        let clusters = try await snapshot.clusters()
        guard !clusters.isEmpty else {
            throw RoostError(.emptyStore, "the store has no clusters yet; `roost recluster` makes them")
        }
        let run = try await snapshot.clusteringRun()
        // Without it everything would seem to have come new.
        guard run == nil || run?.dataDigest != nil else {
            throw RoostError(
                .notFound,
                "the clusters were made by an older version, which did not record what became of those "
                    + "before; the next `roost recluster` does")
        }
        return ClusterLineage(of: clusters, vanished: run?.vanished ?? [])
    }
}
