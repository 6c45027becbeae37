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
    /// Groups all entries anew, and puts the result in the place of the last one. Clusters whose members
    /// mostly stay keep their id.
    ///
    /// Without a number the groups are communities of the graph of who is near whom, as many as stand out
    /// (``LeidenClusterer``); a number of them is made by spherical k-means (``SphericalKMeans``).
    ///
    /// - Parameters:
    ///   - clusters: how many; `nil` chooses.
    ///   - granularity: coarser or finer than what is chosen.
    ///   - maximumOutliers: at most so large a share of the entries, 0 to 1, is in no cluster where the
    ///     number is
    ///     chosen.
    /// - Throws: ``RoostError`` with `.emptyStore`; `ClusteringError`; ``StorageError``;
    ///   `CancellationError`, and nothing has changed then.
    public func recluster(
        clusters: Int? = nil, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05,
        seed: UInt64 = 0
    ) async throws -> ReclusterReport {
        if let clusters {
            return try await recluster(
                with: SphericalKMeans(clusters: clusters, seed: seed), seed: seed,
                parameters: ["requestedClusters": .integer(Int64(clusters))])
        }
        let clusterer = LeidenClusterer(
            granularity: granularity, maximumOutliers: maximumOutliers, seed: seed)
        return try await recluster(
            with: clusterer, seed: seed,
            parameters: [
                "granularity": .string(granularity.rawValue), "maximumOutliers": .number(maximumOutliers),
            ])
    }

    /// Groups all entries anew with a clusterer of the caller's.
    public func recluster(
        with clusterer: any Clusterer, seed: UInt64, parameters: [String: MetadataValue] = [:]
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

    @concurrent
    private func reclusterOnce(
        _ clusterer: any Clusterer, _ seed: UInt64, _ parameters: [String: MetadataValue]
    ) async throws -> ReclusterReport {
        let snapshot = try await storage.snapshot()
        let (ids, vectors) = try await Self.entryVectors(snapshot)
        guard !ids.isEmpty else {
            throw RoostError(
                .emptyStore, "the store has no entries to cluster; add some with `roost ingest PATH`")
        }
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
