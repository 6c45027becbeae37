public import RoostVectors

/// Spherical k-means (Dhillon & Modha 2001): groups unit vectors by their cosine similarity to centroids of
/// unit length.
///
/// It is seeded by greedy k-means++ (Arthur & Vassilvitskii 2007) and run several times; the best run is
/// kept. For very many points, it is seeded by k-means|| and mini-batches
/// (``sized(clusters:entries:seed:)``). Work is split into blocks that do not depend on the number of
/// threads, and sums are added in block order, so the same vectors and seed always give the same labels.
public struct SphericalKMeans: Clusterer {
    /// The number of groups; `nil` chooses the number with the highest mean silhouette. If there are fewer
    /// different vectors, there are fewer groups.
    public var clusters: Int?
    /// The seed of the initial centroids.
    public var seed: UInt64
    /// The number of runs from different initial centroids, at least 1.
    public var restarts: Int
    /// The maximum number of iterations of a run, at least 1. A run ends earlier if no label changes.
    public var maximumIterations: Int
    /// The number of points in a mini-batch; a number below 1 is treated as 1. If it is set, the run is
    /// seeded by k-means|| (Bahmani et al. 2012) and one pass of mini-batch k-means (Sculley 2010), and
    /// ``restarts`` is ignored. `nil` uses k-means++.
    public var batchSize: Int?

    /// Several complete runs are performed only if the number of entries times the number of clusters does
    /// not exceed this limit. Up to the limit, they take only seconds.
    private static let maximumThoroughWork = 10_000_000
    /// The maximum number of clusters for which a single run is seeded by k-means++. With more clusters,
    /// k-means++ would take longer than all iterations together.
    private static let maximumGreedySeeds = 2000
    /// The maximum number of iterations if the number of entries allows only a single run.
    private static let quickIterations = 10
    /// The size of a mini-batch, as a multiple of the number of clusters.
    private static let batchPointsPerCluster = 4

    /// Returns a clusterer with settings that are appropriate for the number of entries.
    ///
    /// If several complete runs take only seconds, the clusterer performs several. Otherwise, it performs a
    /// single run of at most ten iterations; with more than 2,000 clusters, this run is seeded by k-means||
    /// and mini-batches.
    ///
    /// - Parameters:
    ///   - clusters: The number of groups.
    ///   - entries: The number of entries to cluster.
    ///   - seed: The seed of the initial centroids.
    public static func sized(clusters: Int, entries: Int, seed: UInt64 = 0) -> SphericalKMeans {
        var result = SphericalKMeans(clusters: clusters, seed: seed)
        guard clusters > 0, entries > maximumThoroughWork / clusters else { return result }
        (result.restarts, result.maximumIterations) = (1, quickIterations)
        // A number of clusters that exceeds the number of entries is reported when the run begins.
        if clusters > maximumGreedySeeds {
            let size = min(clusters, max(1, entries)).multipliedReportingOverflow(by: batchPointsPerCluster)
            result.batchSize = size.overflow ? Int.max : size.partialValue
        }
        return result
    }

    /// Creates a clusterer.
    ///
    /// - Parameters:
    ///   - clusters: The number of groups; `nil` chooses the number with the highest mean silhouette.
    ///   - seed: The seed of the initial centroids.
    ///   - restarts: The number of runs from different initial centroids.
    ///   - maximumIterations: The maximum number of iterations of a run.
    public init(clusters: Int? = nil, seed: UInt64 = 0, restarts: Int = 8, maximumIterations: Int = 100) {
        self.clusters = clusters
        self.seed = seed
        self.restarts = restarts
        self.maximumIterations = maximumIterations
    }

    /// The name that is recorded with a run: `spherical-k-means`.
    public var algorithm: String { "spherical-k-means" }

    /// Groups the rows of a matrix.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length.
    /// - Throws: `ClusteringError` `.noVectors`, `.notFinite`, `.invalidCount`, `.tooManyClusters`,
    ///   `.invalidParameter`; `CancellationError`.
    /// - Complexity: O(restarts · iterations · n · k · d), computed as matrix products.
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        try ClusteringError.require(restarts >= 1, "restarts must be at least 1, not \(restarts)")
        try ClusteringError.require(
            maximumIterations >= 1, "maximumIterations must be at least 1, not \(maximumIterations)")
        try ClusteringError.requireFinite(vectors)
        let usable = (0..<vectors.rows).filter { row in
            vectors.withRow(row) { $0.contains { $0 != 0 } }
        }
        guard !usable.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no nonzero vectors")
        }
        let points = usable.count == vectors.rows ? vectors : vectors.selecting(usable)
        if let clusters {
            guard clusters >= 1 else {
                throw ClusteringError(
                    .invalidCount, "cannot create \(clusters) clusters: the number must be at least 1")
            }
            guard clusters <= points.rows else {
                throw ClusteringError(
                    .tooManyClusters,
                    "cannot create \(clusters) clusters: the number of entries "
                        + (points.rows == vectors.rows ? "" : "with a nonzero vector ")
                        + "is \(points.rows)")
            }
        }
        let k = try clusters ?? ClusterCount(seed: seed).choose(for: points)
        var best =
            if let batchSize {
                try KMeansRun.batched(
                    points, k: k, seed: seed, batchSize: min(max(1, batchSize), points.rows),
                    maximumIterations: maximumIterations)
            } else {
                try KMeansRun.best(
                    of: restarts, points, k: k, seed: seed, maximumIterations: maximumIterations)
            }
        best.mergeEqualGroups(points)
        return partition(best, usable: usable, rows: vectors.rows)
    }

    private func partition(_ run: KMeansRun, usable: [Int], rows: Int) -> Partition {
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: rows)
        var similarities = [Float](repeating: 0, count: rows)
        var confidences = [Float](repeating: 0, count: rows)
        for (point, row) in usable.enumerated() {
            labels[row] = .group(Int(run.labels[point]))
            similarities[row] = run.similarities[point]
            // 1 minus the ratio of the distances to the nearest and the second nearest centroid: 0 on the
            // border between two groups, 1 at the centroid.
            let (first, second) = (1 - run.similarities[point], 1 - run.runnersUp[point])
            confidences[row] = second > 0 ? max(0, min(1, (second - first) / second)) : 0
        }
        return Partition(
            labels: labels, centroids: run.centroids, similarities: similarities, confidences: confidences,
            facts: [
                "k": Double(run.centroids.rows), "iterations": Double(run.iterations),
                "objective": run.objective,
            ].merging(batchSize.map { ["batchSize": Double($0)] } ?? [:]) { $1 })
    }
}
