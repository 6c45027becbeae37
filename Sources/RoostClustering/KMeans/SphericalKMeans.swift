public import RoostVectors

/// Spherical k-means (Dhillon & Modha 2001): groups unit vectors by their cosine similarity to centroids of
/// unit length.
///
/// It is seeded by greedy k-means++ (Arthur & Vassilvitskii 2007) and run several times; the best run is
/// kept. Work is split into blocks that do not depend on the number of threads, and sums are added in block
/// order, so the same vectors and seed always give the same labels.
public struct SphericalKMeans: Clusterer {
    /// The number of groups. If there are fewer different vectors, there are fewer groups.
    public var clusters: Int
    /// The seed of the initial centroids.
    public var seed: UInt64
    /// The number of runs from different initial centroids, at least 1.
    public var restarts: Int
    /// The maximum number of iterations of a run, at least 1. A run ends earlier if no label changes.
    public var maximumIterations: Int

    /// Several complete runs are performed only if the number of entries times the number of clusters does
    /// not exceed this limit. Up to the limit, they take only seconds.
    private static let maximumThoroughWork = 10_000_000
    /// The maximum number of iterations if the number of entries allows only a single run.
    private static let quickIterations = 10

    /// Returns a clusterer with settings that are appropriate for the number of entries: several complete
    /// runs if they take only seconds; otherwise, a single run of at most ten iterations.
    ///
    /// - Parameters:
    ///   - clusters: The number of groups.
    ///   - entries: The number of entries to cluster.
    ///   - seed: The seed of the initial centroids.
    public static func sized(clusters: Int, entries: Int, seed: UInt64 = 0) -> SphericalKMeans {
        guard clusters > 0, entries > maximumThoroughWork / clusters else {
            return SphericalKMeans(clusters: clusters, seed: seed)
        }
        return SphericalKMeans(
            clusters: clusters, seed: seed, restarts: 1, maximumIterations: quickIterations)
    }

    /// Creates a clusterer.
    ///
    /// - Parameters:
    ///   - clusters: The number of groups.
    ///   - seed: The seed of the initial centroids.
    ///   - restarts: The number of runs from different initial centroids.
    ///   - maximumIterations: The maximum number of iterations of a run.
    public init(clusters: Int, seed: UInt64 = 0, restarts: Int = 8, maximumIterations: Int = 100) {
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
        let distinct = DistinctRows(of: vectors)
        let usable = distinct.indices.indices.filter { distinct.indices[$0] != nil }
        guard !usable.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no nonzero vectors")
        }
        guard clusters >= 1 else {
            throw ClusteringError(
                .invalidCount, "cannot create \(clusters) clusters: the number must be at least 1")
        }
        guard clusters <= usable.count else {
            throw ClusteringError(
                .tooManyClusters,
                "cannot create \(clusters) clusters: the number of entries "
                    + (usable.count == vectors.rows ? "" : "with a nonzero vector ")
                    + "is \(usable.count)")
        }
        let best = try KMeansRun.best(
            of: restarts, usable.count == vectors.rows ? vectors : vectors.selecting(usable),
            k: min(clusters, distinct.rows.count), seed: seed, maximumIterations: maximumIterations)
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
            ])
    }
}
