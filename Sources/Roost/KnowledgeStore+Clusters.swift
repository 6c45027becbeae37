public import RoostClustering
import RoostFiles
public import RoostModel
public import RoostVectors

extension KnowledgeStore {
    /// Clusters all entries and replaces the previous clusters with the result. A cluster that shares most of
    /// its members with a previous cluster keeps its id, and a label that a person gave it. A cluster that a
    /// person labeled is kept as long as at least half of its members exist.
    ///
    /// If `clusters` is `nil`, the groups are the communities of the nearest-neighbor graph, and their number is
    /// determined by the data; more than 25 of them get 8 to 25 parents if these are stable (`LeidenClusterer`). If
    /// the previous run was of the same kind, with the same parameters and seed, and at most a fifth of the entries
    /// have been added or removed since, the run continues it: entries that were in one cluster stay together. If
    /// `clusters` is set, spherical k-means finds the groups and never continues a previous run
    /// (`SphericalKMeans`). In both cases, groups are divided into topics where their own texts support it.
    ///
    /// - Parameters:
    ///   - clusters: The number of clusters; if `nil`, it is determined by the data.
    ///   - granularity: Whether to make larger or smaller clusters than the data suggests. Ignored if
    ///     `clusters` is set.
    ///   - maximumOutliers: The maximum share of the entries that may be in no cluster, 0 to 1. Ignored if
    ///     `clusters` is set.
    ///   - seed: The seed of the algorithm's random choices.
    ///   - filter: The entries to cluster; all others keep their clusters.
    ///   - maximumVectors: The maximum number of entries that are all compared with each other, at least 100. Of
    ///     more, a sample of this size, but at most 250,000, is clustered. The others are read in blocks and
    ///     join the nearest clusters, so that the memory for vectors does not grow with the store (decision 27).
    ///   - ignoringPreviousRun: Whether to start without the groups of the previous run. Ids and labels are
    ///     still kept.
    ///   - stopWords: Words in lower case that do not occur in labels and keywords.
    ///   - isDryRun: Whether to report the result without committing it.
    ///   - progress: Receives the progress of the run, on any thread. The share of the last call is 1.
    /// - Atomicity: All clusters and assignments are replaced in one commit.
    /// - Throws: ``RoostError`` with `.emptyStore`, `.notFound` or `.badInput`; `ClusteringError`;
    ///   `StorageError`; `CancellationError`. If an error is thrown, the store is unchanged.
    public func recluster(
        clusters: Int? = nil, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05, seed: UInt64 = 0,
        among filter: EntryFilter = .all, maximumVectors: Int = KnowledgeStore.maximumVectors,
        ignoringPreviousRun: Bool = false,
        stopWords: Set<String> = [], isDryRun: Bool = false,
        progress: @escaping @Sendable (ReclusterProgress) -> Void = { _ in }
    ) async throws -> ReclusterReport {
        let method: Reclusterer.Method =
            clusters.map { .count($0, seed: seed) }
            ?? .communities(
                granularity, maximumOutliers: maximumOutliers, seed: seed,
                continuesPreviousRun: !ignoringPreviousRun)
        return try await recluster(method, filter, maximumVectors, stopWords, isDryRun, progress)
    }

    /// The number of entries above which a clustering run clusters a sample unless another limit is given.
    public static let maximumVectors = 1_000_000

    /// Clusters all entries with a clusterer of your own and replaces the previous clusters with the result.
    ///
    /// The run is recorded with the clusterer's `Clusterer/algorithm` and `Clusterer/seed`.
    ///
    /// - Parameters:
    ///   - clusterer: The clusterer. It receives the embeddings of the entries in lexicographic order.
    ///   - parameters: The parameters to record with the run, in addition to the `Partition/facts`.
    /// - Atomicity: All clusters and assignments are replaced in one commit.
    /// - Throws: The errors of a run without a clusterer, and any error that the clusterer throws.
    public func recluster(
        with clusterer: any Clusterer, parameters: [String: MetadataValue] = [:],
        among filter: EntryFilter = .all, maximumVectors: Int = KnowledgeStore.maximumVectors,
        isDryRun: Bool = false, progress: @escaping @Sendable (ReclusterProgress) -> Void = { _ in }
    ) async throws -> ReclusterReport {
        try await recluster(
            .custom(clusterer, parameters: parameters), filter, maximumVectors, [], isDryRun, progress)
    }

    private func recluster(
        _ method: Reclusterer.Method, _ filter: EntryFilter, _ maximumVectors: Int,
        _ stopWords: Set<String>, _ isDryRun: Bool,
        _ progress: @escaping @Sendable (ReclusterProgress) -> Void
    ) async throws -> ReclusterReport {
        let reclusterer = Reclusterer(
            storage: storage, method: method, filter: filter, maximumVectors: maximumVectors,
            isDryRun: isDryRun,
            boilerplate: (embedder, boilerplate), stopWords: stopWords,
            progress: ReclusterProgress.Filter(progress))
        return try await Computation.run { try await reclusterer.run() }
    }

    /// Undoes the last group of commits that an ``UndoRecorder`` recorded; the next call undoes the group before
    /// it, up to the last 20 groups.
    ///
    /// Removed entries are restored with their ids, vectors and dates, as the newest rows of the store. A group
    /// can be undone if nothing else has changed its entries, sources and clusters since. For a store in a folder,
    /// this includes groups that other processes recorded.
    ///
    /// - **Atomicity**: Each commit of the group is undone in one commit, the newest first. Nothing is changed if
    ///   one of them cannot be undone. After an interruption, the next call undoes the others.
    /// - Parameter isDryRun: Whether to return the report without changing the store.
    /// - Throws: ``RoostError`` with `.nothingToUndo`, or with `.noInput` if the record cannot be read;
    ///   `StorageError`.
    @concurrent @discardableResult
    public func undo(isDryRun: Bool = false) async throws -> UndoReport {
        try await Undo.run(on: self, isDryRun: isDryRun)
    }

    /// Reclaims the space of removed data in the storage, and of original files that no source
    /// references.
    ///
    /// - Throws: `StorageError`; `ChunkStorageError`.
    public func compact() async throws {
        try await storage.compact()
        guard let directory, let originals else { return }
        try await originals.removeUnreferenced(by: storage, in: directory, recorder: undoRecorder)
    }
}
