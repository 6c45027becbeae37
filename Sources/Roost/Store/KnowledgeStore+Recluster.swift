import Foundation
import RoostClustering
public import RoostModel
public import RoostVectors

/// What a reclustering did.
public struct ReclusterReport: Sendable {
    public var run: ClusteringRun
    public var clusters: [Cluster]
    public var outlierCount: Int
    /// How many clusters continue one of the last run's.
    public var continuedCount: Int
}

extension KnowledgeStore {
    /// Groups all entries, and puts the result in the place of the last one. Clusters that share most with
    /// one of the last run keep its id.
    ///
    /// Without a number the groups are communities of the graph of who is near whom, as many as stand out
    /// (``LeidenClusterer``). Where the last run was of the same kind, with the same parameters and seed, and
    /// at most a fifth has come or gone since, it goes on from there: what hangs together stays together.
    /// A number of clusters is made by spherical k-means (``SphericalKMeans``), always afresh.
    ///
    /// - Parameters:
    ///   - clusters: how many; `nil` chooses.
    ///   - granularity: coarser or finer than what is chosen.
    ///   - maximumOutliers: at most so large a share of the entries, 0 to 1, is in no cluster where the
    ///     number is chosen.
    ///   - afresh: whether the last run's groups do not count, only the names of those that come out again.
    /// - Throws: ``RoostError`` with `.emptyStore` or `.badInput`; `ClusteringError`; ``StorageError``;
    ///   `CancellationError`, and nothing has changed then.
    public func recluster(
        clusters: Int? = nil, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05, seed: UInt64 = 0, afresh: Bool = false
    ) async throws -> ReclusterReport {
        guard (0...1).contains(maximumOutliers) else {
            throw RoostError(.badInput, "a share of outliers is from 0 to 1, not \(maximumOutliers)")
        }
        if let clusters {
            return try await recluster(
                with: SphericalKMeans(clusters: clusters, seed: seed), seed: seed,
                parameters: ["requestedClusters": .integer(Int64(clusters))])
        }
        let parameters: [String: MetadataValue] = [
            "granularity": .string(granularity.rawValue), "maximumOutliers": .number(maximumOutliers),
        ]
        return try await recluster(seed, parameters) { ids, snapshot in
            var clusterer = LeidenClusterer(
                granularity: granularity, maximumOutliers: maximumOutliers, seed: seed)
            if !afresh { clusterer.start = try await Self.start(ids, snapshot, seed, parameters) }
            return clusterer
        }
    }

    /// Groups all entries with a clusterer of the caller's.
    public func recluster(
        with clusterer: any Clusterer, seed: UInt64, parameters: [String: MetadataValue] = [:]
    ) async throws -> ReclusterReport {
        try await recluster(seed, parameters) { _, _ in clusterer }
    }

    private typealias ClustererOfState =
        @Sendable (_ ids: [Entry.ID], _ snapshot: any StorageSnapshot) async throws -> any Clusterer

    private func recluster(
        _ seed: UInt64, _ parameters: [String: MetadataValue], _ clusterer: ClustererOfState
    ) async throws -> ReclusterReport {
        for attempt in 1... {
            do {
                return try await reclusterOnce(clusterer, seed, parameters)
            } catch let error as StorageError where error.code == .conflict && attempt < 5 {
                // Somebody else changed the clusters meanwhile: what they did is read, and the work done on
                // that.
                continue
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    /// How much of what the last run saw must be left for it to go on from.
    private static let leastLeft = 0.8

    /// The groups of the last run, where it is one to go on from.
    private static func start(
        _ ids: [Entry.ID], _ snapshot: any StorageSnapshot, _ seed: UInt64,
        _ parameters: [String: MetadataValue]
    ) async throws -> LeidenClusterer.Start? {
        guard let run = try await snapshot.clusteringRun(), run.algorithm == LeidenClusterer().algorithm,
            run.seed == seed, let resolution = run.parameters["resolution"]?.double,
            parameters.allSatisfy({ run.parameters[$0.key] == $0.value })
        else { return nil }
        let assignments = try await snapshot.assignments(of: nil)
        guard Double(assignments.count) >= leastLeft * Double(run.stamp.entryCount) else { return nil }
        var (groups, names) = ([Entry.ID: Int](), [Cluster.ID: Int]())
        for assignment in assignments {
            guard let cluster = assignment.cluster else { continue }
            let name = names[cluster] ?? names.count
            names[cluster] = name
            groups[assignment.entry] = name
        }
        return LeidenClusterer.Start(groups: ids.map { groups[$0] }, resolution: resolution)
    }

    @concurrent
    private func reclusterOnce(
        _ clusterer: ClustererOfState, _ seed: UInt64, _ parameters: [String: MetadataValue]
    ) async throws -> ReclusterReport {
        let snapshot = try await storage.snapshot()
        let (ids, vectors) = try await Self.entryVectors(snapshot)
        guard !ids.isEmpty else {
            throw RoostError(
                .emptyStore, "the store has no entries to cluster; add some with `roost ingest PATH`")
        }
        let clusterer = try await clusterer(ids, snapshot)
        let previous = try await snapshot.clusters()
        let seen = try await snapshot.clustersRevision()
        let partition = try await clusterer.cluster(vectors)
        var parameters = parameters
        for (name, value) in partition.facts { parameters[name] = .number(value) }
        let run = ClusteringRun(
            algorithm: clusterer.algorithm, parameters: parameters, seed: seed, stamp: snapshot.stamp)
        var assembly = ClusterAssembly(partition, ids: ids)
        var row: UInt32?
        repeat {
            let page = try await snapshot.entries(after: row, limit: 1000, matching: .all)
            for entry in page.entries { assembly.count(entry.content, of: entry.id) }
            row = page.next
        } while row != nil
        let clustering = assembly.finish(run: run, previous: previous)
        try Task.checkCancellation()
        _ = try await storage.commit(WriteBatch(clustering: clustering, expecting: .init(clusters: seen)))
        let before = Set(previous.map(\.id))
        return ReclusterReport(
            run: run, clusters: clustering.clusters,
            outlierCount: clustering.assignments.count { $0.cluster == nil },
            continuedCount: clustering.clusters.count { before.contains($0.id) })
    }

    /// The embeddings of all entries, in the order of their ids, whatever the order they came in.
    private static func entryVectors(_ snapshot: any StorageSnapshot) async throws -> ([Entry.ID], Matrix) {
        var ids: [UUID] = []
        var elements: [Float] = []
        var dimension = 0
        var row: UInt32?
        repeat {
            let page = try await snapshot.vectors(of: .entries, after: row, limit: 4096)
            ids += page.ids
            elements += page.vectors.elements
            if page.vectors.rows > 0 { dimension = page.vectors.columns }
            row = page.next
        } while row != nil
        let all = Matrix(rows: ids.count, columns: dimension, elements: elements)
        let names = ids.map(\.uuidString)
        let order = ids.indices.sorted { names[$0] < names[$1] }
        return (order.map { ids[$0] }, all.selecting(order))
    }
}

extension MetadataValue {
    /// A number, however it was written.
    fileprivate var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
