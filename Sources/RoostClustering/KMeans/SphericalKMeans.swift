public import RoostVectors

/// Spherical k-means (Dhillon & Modha 2001): groups unit vectors by cosine, around centroids of unit length.
///
/// Seeded by greedy k-means++ (Arthur & Vassilvitskii 2007), run several times, the best run kept; for very
/// many points by k-means|| and mini-batches (``sized(clusters:entries:seed:)``). Work is
/// split into blocks that do not depend on the number of threads, and sums are taken in block order, so
/// that the same vectors and seed give the same labels everywhere.
public struct SphericalKMeans: Clusterer {
    /// How many groups; `nil` chooses (see ``ClusterCount``).
    public var clusters: Int?
    public var seed: UInt64
    /// How many times to start anew.
    public var restarts: Int
    /// The most rounds of one run; it ends sooner when no label changes.
    public var maximumIterations: Int
    /// With a number, the centroids are moved by batches of so many points before the rounds (mini-batch
    /// k-means, Sculley 2010), and found by k-means|| (Bahmani et al. 2012); one start then, whatever
    /// ``restarts`` says.
    public var batchSize: Int?

    /// Of entries times clusters, the most for which many starts and rounds take seconds.
    private static let largestThorough = 10_000_000
    /// Seeding more clusters than this by k-means++ takes longer than all rounds.
    private static let mostSeeded = 2000

    /// What suits a number of entries: several starts, to the end, as long as that takes seconds; for more
    /// one start and ten rounds; for more than 2,000 clusters then k-means|| and mini-batches before them.
    public static func sized(clusters: Int, entries: Int, seed: UInt64 = 0) -> SphericalKMeans {
        var result = SphericalKMeans(clusters: clusters, seed: seed)
        guard clusters > 0, entries > largestThorough / clusters else { return result }
        (result.restarts, result.maximumIterations) = (1, 10)
        if clusters > mostSeeded { result.batchSize = 4 * clusters }
        return result
    }

    /// - Precondition: `restarts >= 1`, `maximumIterations >= 1`.
    public init(clusters: Int? = nil, seed: UInt64 = 0, restarts: Int = 8, maximumIterations: Int = 100) {
        precondition(restarts >= 1 && maximumIterations >= 1)
        self.clusters = clusters
        self.seed = seed
        self.restarts = restarts
        self.maximumIterations = maximumIterations
    }

    public var algorithm: String { "spherical-k-means" }

    /// - Complexity: O(restarts · iterations · n · k · d), a matrix product each.
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        let usable = (0..<vectors.rows).filter { row in
            vectors.withRow(row) { $0.contains { $0 != 0 } }
        }
        guard !usable.isEmpty else {
            throw ClusteringError(.noVectors, "there are no vectors to group")
        }
        let points = usable.count == vectors.rows ? vectors : vectors.selecting(usable)
        if let clusters {
            guard clusters >= 1 else {
                throw ClusteringError(
                    .invalidCount, "\(clusters) clusters were asked for; there must be at least 1")
            }
            guard clusters <= points.rows else {
                throw ClusteringError(
                    .tooManyClusters,
                    "\(clusters) clusters were asked for, but there are only \(points.rows) entries")
            }
        }
        let k = try clusters ?? ClusterCount(seed: seed).choose(for: points)
        let best =
            if let batchSize {
                try KMeansRun.batched(
                    points, k: k, seed: seed, batchSize: max(1, batchSize),
                    maximumIterations: maximumIterations)
            } else {
                try KMeansRun.best(
                    of: restarts, points, k: k, seed: seed, maximumIterations: maximumIterations)
            }
        return partition(best, usable: usable, rows: vectors.rows)
    }

    private func partition(_ run: KMeansRun, usable: [Int], rows: Int) -> Partition {
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: rows)
        var similarities = [Float](repeating: 0, count: rows)
        var confidences = [Float](repeating: 0, count: rows)
        for (point, row) in usable.enumerated() {
            labels[row] = .group(Int(run.labels[point]))
            similarities[row] = run.similarities[point]
            // How far the nearest centroid is ahead of the second: 0 on the border, 1 where no other
            // compares.
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
