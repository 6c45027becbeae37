import RoostModel

/// The extent to which a store has changed since its clusters were created.
public struct ClusterDrift: Sendable, Hashable, Encodable {
    /// The number of entries in the store. After a run with conditions, only entries that meet them count.
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
    /// that still have the assignment of the last run; `nil` if there are none.
    public var cohesionOfRun: Double?
    /// The mean cosine similarity between all clustered entries and their centroids; `nil` if there are none.
    public var cohesion: Double?
    /// The reasons to cluster again; empty if there is none.
    public var reasons: [String]

    /// Creates a measurement.
    public init(
        entries: Int, clustered: Int, outliers: Int, unassigned: Int, placedSince: Int, unchanged: Int,
        entriesOfRun: Int, cohesionOfRun: Double? = nil, cohesion: Double? = nil, reasons: [String] = []
    ) {
        self.entries = entries
        self.clustered = clustered
        self.outliers = outliers
        self.unassigned = unassigned
        self.placedSince = placedSince
        self.unchanged = unchanged
        self.entriesOfRun = entriesOfRun
        self.cohesionOfRun = cohesionOfRun
        self.cohesion = cohesion
        self.reasons = reasons
    }

    /// Whether there is a reason to cluster again.
    public var isDue: Bool { !reasons.isEmpty }
}

extension ClusterDrift {
    /// A new run is recommended if the share of unassigned entries exceeds this value.
    static let maximumUnassigned = 0.05
    /// A new run is recommended if the number of entries that were added, removed or moved exceeds this share
    /// of the entries that the last run clustered.
    static let maximumChanged = 0.2
    /// A new run is recommended if the mean cosine similarity to the centroids has fallen by more than this
    /// value.
    static let maximumCohesionLoss = 0.02

    /// Measures the drift of a store.
    ///
    /// - Throws: See ``KnowledgeStore/clusterDrift()``.
    @concurrent
    static func measure(_ storage: any StorageProvider) async throws -> ClusterDrift {
        let snapshot = try await storage.snapshot()
        guard snapshot.stamp.clusterCount > 0 else { throw noClusters }
        let run = try await snapshot.clusteringRun()
        let assignments = try await snapshot.assignments(of: nil)
        let clustered = assignments.filter { $0.cluster != nil }
        let ofRun = run.map { run in assignments.filter { $0.run == run.id } } ?? []
        let conditions = run.map(\.conditions) ?? []
        var filter = EntryFilter.all
        filter.conditions = conditions ?? []
        let entries =
            filter.matchesAll ? snapshot.stamp.entryCount : try await snapshot.rows(matching: filter).count
        var drift = ClusterDrift(
            entries: entries, clustered: clustered.count, outliers: assignments.count - clustered.count,
            unassigned: max(0, entries - assignments.count),
            placedSince: clustered.count { $0.run == nil || $0.run != run?.id },
            unchanged: ofRun.count, entriesOfRun: run?.clusteredCount ?? 0,
            cohesionOfRun: meanSimilarity(ofRun.filter { $0.cluster != nil }),
            cohesion: meanSimilarity(clustered), reasons: [])
        // If the conditions of the run cannot be decoded, the number of missing entries is unknown.
        if conditions != nil { drift.reasons = drift.reasons(hasRun: run != nil) }
        return drift
    }

    /// The error for a store without clusters.
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
