public import RoostClustering
import RoostFiles
import RoostModel

// MARK: - Clustering by several workers

/// Clusters a store that is too large for one client. One client clusters a sample of the entries
/// (``planClusters(sample:granularity:maximumOutliers:seed:ignoringPreviousRun:)``); any number of workers
/// assign the other entries (``assignShard(_:of:)``); and one client commits the result
/// (``finishClusters()``). All of them use the same store, on one or several machines.
extension KnowledgeStore {
    /// The default number of entries in the sample of a clustering plan. With 384 dimensions, their vectors
    /// take 1.5 GB.
    public static let defaultClusterSample = 1_000_000

    private var planRecords: PlanRecords {
        get throws {
            guard let records = storage.workRecords ?? directory.map({ FolderWorkRecords(of: $0) }) else {
                throw StorageError(.unsupported, "the storage cannot keep the records of several workers")
            }
            return PlanRecords(records: records)
        }
    }

    /// Clusters a sample of the entries, and records the result as the plan of a clustering by several
    /// workers.
    ///
    /// The sample is chosen by the ids of the entries, so it is the same each time. The clusters of the
    /// sample are found in the same way as in a run of one process. The contents of the store do not change.
    ///
    /// Entries that are added after the call belong to no cluster when the clusters are committed.
    ///
    /// - Parameters:
    ///   - sample: The approximate number of entries in the sample. If it is not below the number of all
    ///     entries, the result equals that of a clustering by one client.
    ///   - granularity: Whether to make larger or smaller clusters than the data suggests.
    ///   - maximumOutliers: The maximum share of the entries that may be in no cluster, 0 to 1.
    ///   - seed: The seed of the algorithm's random choices.
    ///   - ignoringPreviousRun: Whether to start without the groups of the previous run. Ids and labels are
    ///     still kept.
    /// - Throws: ``RoostError`` with `.incompleteWork` if there is an unfinished plan, `.emptyStore` or
    ///   `.badInput`; `ClusteringError`; `StorageError`; `CancellationError`.
    public func planClusters(
        sample: Int = defaultClusterSample, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05, seed: UInt64 = 0, ignoringPreviousRun: Bool = false
    ) async throws -> ClusteringPlanStatus {
        try await Computation.run {
            try await ClusteringPlanner(
                storage: storage, records: try planRecords, boilerplate: (entryEmbedder, boilerplate)
            ).run(
                sampleCount: sample, granularity: granularity, maximumOutliers: maximumOutliers, seed: seed,
                continuesPreviousRun: !ignoringPreviousRun)
        }
    }

    /// Assigns the entries of one shard to the clusters of the plan's sample.
    ///
    /// Shards can be assigned in any order, at the same time, and repeatedly: a repetition writes the same
    /// records unless entries have changed. An entry joins the cluster with the largest weight among its
    /// nearest neighbors in the sample. Memory is needed for the sample and for a few pages of vectors.
    ///
    /// - Parameters:
    ///   - index: The shard, 0 to `count` - 1.
    ///   - count: The number of shards, the same for all workers. The first shard that is finished determines
    ///     it.
    /// - Returns: The number of entries that were assigned.
    /// - Throws: ``RoostError`` with `.notFound` if there is no plan, `.badInput`, also if the plan has
    ///   finished shards of another number, or `.spaceMismatch`; `StorageError`; `CancellationError`. If an
    ///   error is thrown, the shard is missing, or has the result of an earlier call.
    @discardableResult
    public func assignShard(_ index: Int, of count: Int) async throws -> Int {
        try await Computation.run {
            try await ShardAssigner(storage: storage, records: try planRecords, embedder: entryEmbedder)
                .run(index, of: count)
        }
    }

    /// Returns the state of the clustering plan; `nil` if the store has no plan.
    ///
    /// - Throws: `StorageError`.
    public func clusteringPlan() async throws -> ClusteringPlanStatus? {
        let records = try planRecords
        guard let plan = try await records.plan() else { return nil }
        return ClusteringPlanStatus(plan, finished: try await records.finishedShards(of: plan))
    }

    /// Commits the clusters of the plan, and removes the plan.
    ///
    /// Clusters that share most of their members with previous ones keep their ids, and the labels that
    /// people gave them. Keywords, automatic labels and figures come from the entries of the sample. Entries
    /// that were removed since the plan was made are ignored. The ids of all entries must fit in memory.
    ///
    /// - Atomicity: All clusters and assignments are replaced in one commit. If the process is killed between
    ///   the commit and the removal of the plan, the next call only removes the plan.
    /// - Throws: ``RoostError`` with `.notFound` if there is no plan, `.incompleteWork` if shards are missing
    ///   or damaged, or `.spaceMismatch`; `StorageError`; `CancellationError`. If an error is thrown, the
    ///   store is unchanged.
    public func finishClusters() async throws -> ReclusterReport {
        try await Computation.run {
            try await ClusterFinisher(
                storage: storage, records: try planRecords, boilerplate: (entryEmbedder, boilerplate)
            ).run()
        }
    }

    /// Removes the clustering plan and the results of its workers. Does nothing in a store without a plan.
    ///
    /// - Throws: `StorageError`.
    public func discardClusteringPlan() async throws { try await planRecords.remove() }
}
