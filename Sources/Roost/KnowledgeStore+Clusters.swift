public import RoostClustering
import RoostFiles
public import RoostModel
public import RoostVectors

// MARK: - Clustering

extension KnowledgeStore {
    /// Clusters all entries and replaces the previous clusters with the result. A cluster that shares most of
    /// its members with a previous cluster keeps its id, and a label that a person gave it.
    ///
    /// If `clusters` is `nil`, the clusters are the communities of the nearest-neighbor graph, and their
    /// number is determined by the data; more than 25 of them get 8 to 25 parents if these are stable
    /// (`LeidenClusterer`). If the previous run was of the same kind, with
    /// the same parameters and seed, and at most a fifth of the entries have been added or removed since, the
    /// run continues it: entries that were in one cluster stay together. If `clusters` is set, spherical
    /// k-means finds the clusters and never continues a previous run (`SphericalKMeans`).
    ///
    /// - Parameters:
    ///   - clusters: The number of clusters; if `nil`, it is determined by the data.
    ///   - granularity: Whether to make larger or smaller clusters than the data suggests. Ignored if
    ///     `clusters` is set.
    ///   - maximumOutliers: The maximum share of the entries that may be in no cluster, 0 to 1. Ignored if
    ///     `clusters` is set.
    ///   - seed: The seed of the algorithm's random choices.
    ///   - conditions: The conditions that an entry must meet to be clustered. Entries that do not meet them
    ///     are in no cluster.
    ///   - ignoringPreviousRun: Whether to start without the groups of the previous run. Ids and labels are
    ///     still kept.
    ///   - isDryRun: Whether to report the result without committing it.
    ///   - progress: Receives the progress of the run, on any thread. The share of the last call is 1.
    /// - Atomicity: All clusters and assignments are replaced in one commit.
    /// - Throws: ``RoostError`` with `.emptyStore`, `.notFound` or `.badInput`; `ClusteringError`;
    ///   `StorageError`; `CancellationError`. If an error is thrown, the store is unchanged.
    public func recluster(
        clusters: Int? = nil, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05, seed: UInt64 = 0,
        among conditions: [EntryCondition] = [], ignoringPreviousRun: Bool = false, isDryRun: Bool = false,
        progress: @escaping @Sendable (ReclusterProgress) -> Void = { _ in }
    ) async throws -> ReclusterReport {
        let method: Reclusterer.Method =
            clusters.map { .count($0, seed: seed) }
            ?? .communities(
                granularity, maximumOutliers: maximumOutliers, seed: seed,
                continuesPreviousRun: !ignoringPreviousRun)
        let reclusterer = Reclusterer(
            storage: storage, method: method, conditions: conditions, isDryRun: isDryRun,
            boilerplate: (entryEmbedder, boilerplate), progress: ReclusterProgress.Filter(progress))
        return try await Computation.run { try await reclusterer.run() }
    }

    /// Clusters all entries with a clusterer of your own and replaces the previous clusters with the result.
    ///
    /// The run is recorded with the clusterer's `Clusterer/algorithm` and `Clusterer/seed`.
    ///
    /// - Parameters:
    ///   - clusterer: The clusterer. It receives the embeddings of the entries in lexicographic order.
    ///   - parameters: The parameters to record with the run, in addition to the `Partition/facts`.
    ///   - conditions: The conditions that an entry must meet to be clustered.
    ///   - isDryRun: Whether to report the result without committing it.
    ///   - progress: Receives the progress of the run, on any thread. The share of the last call is 1.
    /// - Atomicity: All clusters and assignments are replaced in one commit.
    /// - Throws: The errors of a run without a clusterer, and any error that the clusterer throws.
    public func recluster(
        with clusterer: any Clusterer, parameters: [String: MetadataValue] = [:],
        among conditions: [EntryCondition] = [], isDryRun: Bool = false,
        progress: @escaping @Sendable (ReclusterProgress) -> Void = { _ in }
    ) async throws -> ReclusterReport {
        let reclusterer = Reclusterer(
            storage: storage, method: .custom(clusterer, parameters: parameters),
            conditions: conditions, isDryRun: isDryRun,
            boilerplate: (entryEmbedder, boilerplate), progress: ReclusterProgress.Filter(progress))
        return try await Computation.run { try await reclusterer.run() }
    }

    /// Returns all clusters with the ids of their members; none before the first run.
    ///
    /// The members of a parent cluster are those of the clusters below it, and it lists none itself.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(clusters + assignments).
    public func clusters() async throws -> [Cluster] { try await storage.snapshot().clusters() }

    /// Measures how much the store has changed since its clusters were created, and whether to cluster again.
    ///
    /// A new run is recommended if more than 5% of the entries are unassigned; if the number of entries that
    /// were added, removed or moved is more than 20% of the entries of the last run; or if the mean cosine
    /// with the centroids has fallen by more than 0.02.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no clusters; `StorageError`.
    /// - Complexity: O(assignments).
    public func clusterDrift() async throws -> ClusterDrift {
        try await Computation.run { try await ClusterDrift.measure(storage) }
    }

    /// Returns the entries that the last run assigned to no cluster, with the reasons. Entries that are most
    /// similar to a cluster come first.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(assignments + outliers · clusters · dimension).
    @concurrent
    public func clusterOutliers() async throws -> [ClusterOutlier] {
        try await ClusterOutlier.read(try await storage.snapshot())
    }

    /// Returns the relation of the current clusters to the previous ones.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no clusters, or with `.notFound` if the
    ///   clusters were created by an older version, which did not record the lineage; `StorageError`.
    public func clusterLineage() async throws -> ClusterLineage { try await ClusterLineage.read(storage) }
}

// MARK: - Editing clusters

extension KnowledgeStore {
    /// The maximum length of a label in bytes of UTF-8.
    public static let maximumLabelLength = ClusterEditor.maximumLabelLength

    private var clusterEditor: ClusterEditor {
        ClusterEditor(storage: storage, boilerplate: (entryEmbedder, boilerplate))
    }

    /// Labels a cluster. Later runs keep the label as long as they keep the cluster.
    ///
    /// - Parameters:
    ///   - id: The cluster.
    ///   - label: The label; `nil` removes a label that a person or a labeler gave and uses keywords instead.
    ///     It does not change a label that a run chose.
    /// - Returns: The cluster without its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for a label that is empty, is longer than
    ///   ``maximumLabelLength`` or has several lines; `StorageError`.
    @discardableResult
    public func labelCluster(_ id: Cluster.ID, as label: String?) async throws -> Cluster {
        try await clusterEditor.label(id, label)
    }

    /// Labels a cluster (``labelCluster(_:as:)``).
    @available(*, deprecated, renamed: "labelCluster(_:as:)")
    @discardableResult
    public func labelCluster(_ id: Cluster.ID, _ label: String?) async throws -> Cluster {
        try await clusterEditor.label(id, label)
    }

    /// Merges clusters into the first of them, which keeps its id, label and parent. No other cluster
    /// changes.
    ///
    /// - Parameter ids: At least two different clusters.
    /// - Returns: The merged cluster with its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for fewer than two clusters or a parent
    ///   cluster; `StorageError`.
    @discardableResult
    public func mergeClusters(_ ids: [Cluster.ID]) async throws -> Cluster {
        try await clusterEditor.merge(ids)
    }

    /// Splits a cluster by spherical k-means. The largest part keeps its id. No other cluster changes.
    ///
    /// - Parameters:
    ///   - id: The cluster.
    ///   - parts: The number of parts, at least 2.
    ///   - seed: The seed of k-means.
    /// - Returns: The parts with their members, largest first.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` if there are fewer entries than parts, all
    ///   vectors are equal, or the cluster is a parent; `StorageError`.
    @discardableResult
    public func splitCluster(
        _ id: Cluster.ID, into parts: Int = 2, seed: UInt64 = 0
    ) async throws -> [Cluster] {
        try await Computation.run { try await clusterEditor.split(id, into: parts, seed: seed) }
    }

    /// Deletes a cluster. Its entries are in no cluster until the next run, or until their texts change.
    ///
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for a parent cluster; `StorageError`.
    public func deleteCluster(_ id: Cluster.ID) async throws {
        try await clusterEditor.delete(id)
    }

    /// Moves entries to a cluster, or out of all clusters. A cluster without members ends.
    ///
    /// The entries stay there until the next run, which can assign them differently, or until their texts
    /// change.
    ///
    /// - Parameters:
    ///   - ids: The entries.
    ///   - cluster: The cluster; `nil` for none.
    /// - Returns: The number of entries that were not in the cluster before.
    /// - Throws: ``RoostError`` with `.notFound` for an entry that the store does not contain or that has no
    ///   vector, or for an unknown cluster, and with `.badInput` for a parent cluster; `StorageError`. If an
    ///   error is thrown, nothing is changed.
    @discardableResult
    public func moveEntries(_ ids: [Entry.ID], to cluster: Cluster.ID?) async throws -> Int {
        try await clusterEditor.move(ids, to: cluster)
    }
}

// MARK: - Labels from a labeler

extension KnowledgeStore {
    /// The limits on the data about one cluster that is sent to a labeler.
    public static let labelingLimits = ClusterNaming.limits

    /// Returns the data that ``labelClusters(with:_:)`` would send, so that a person can review it first.
    ///
    /// - Parameters:
    ///   - ids: The clusters; `nil` for all. Clusters that a person labeled are omitted.
    ///   - labeler: The name of a labeler. Clusters with a label of this labeler are omitted; `nil` includes
    ///     them.
    /// - Throws: ``RoostError`` with `.notFound`; `StorageError`.
    public func labelingRequests(
        of ids: [Cluster.ID]? = nil, unlessLabeledBy labeler: String? = nil
    ) async throws -> [ClusterLabelingRequest] {
        try await ClusterNaming(storage: storage).requests(of: ids, unlessLabeledBy: labeler)
    }

    /// Labels clusters with a labeler, such as a language model.
    ///
    /// Only the excerpts in the requests are sent to the labeler. If two clusters get the same label, a
    /// keyword is added to one of them. A cluster that a person labels in the meantime keeps that label.
    /// Later runs keep the labels while most members of a cluster are the same.
    ///
    /// - Atomicity: All labels are written in one commit at the end.
    /// - Throws: `StorageError`; `CancellationError`. If an error is thrown, no label is changed. Errors of
    ///   the labeler are not thrown, but included in the report.
    public func labelClusters(
        with labeler: some ClusterLabeler, _ requests: [ClusterLabelingRequest]
    ) async throws -> ClusterLabelingReport {
        try await ClusterNaming(storage: storage).label(with: labeler, requests)
    }
}
