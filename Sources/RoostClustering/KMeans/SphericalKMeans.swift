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
    public static func sized(clusters: Int, entries: Int, seed: UInt64 = 0) -> SphericalKMeans {
        guard clusters > 0, entries > maximumThoroughWork / clusters else {
            return SphericalKMeans(clusters: clusters, seed: seed)
        }
        return SphericalKMeans(
            clusters: clusters, seed: seed, restarts: 1, maximumIterations: quickIterations)
    }

    /// Creates a clusterer.
    public init(clusters: Int, seed: UInt64 = 0, restarts: Int = 8, maximumIterations: Int = 100) {
        (self.clusters, self.seed, self.restarts) = (clusters, seed, restarts)
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
            facts: ["k": Double(run.centroids.rows), "objective": run.objective])
    }
}

/// Seeds k-means by greedy k-means++ (Arthur & Vassilvitskii 2007). Each seed is drawn with a probability
/// proportional to its squared distance from the nearest previous seed. Several candidates are drawn for each
/// seed, and the one that reduces the sum of squared distances the most is kept.
enum KMeansSeeding {
    /// The minimum size of the sample from which seeds are chosen. If there are fewer points, all are used.
    private static let sampleSize = 20_000
    private static let pointsPerGroup = 20
    private static let block = 2048

    /// Chooses the initial centroids.
    ///
    /// - Returns: The row numbers of k points. The points are distinct if the sample has enough distinct points.
    static func choose(_ k: Int, of points: Matrix, using generator: inout SeededGenerator) throws -> [Int] {
        let wanted = max(sampleSize, pointsPerGroup * k)
        guard points.rows > wanted else { return try choose(k, ofAll: points, using: &generator) }
        let rows = generator.sample(wanted, of: points.rows)
        return try choose(k, ofAll: points.selecting(rows), using: &generator).map { rows[$0] }
    }

    private static func choose(
        _ k: Int, ofAll points: Matrix, using generator: inout SeededGenerator
    ) throws -> [Int] {
        let n = points.rows
        guard k < n else { return Array(0..<n) }
        // The number of draws per seed that Arthur & Vassilvitskii suggest for the greedy variant.
        let trials = 2 + Int(naturalLogarithm(Double(k)))
        var chosen = [generator.nextIndex(below: n)]
        var isChosen = [Bool](repeating: false, count: n)
        isChosen[chosen[0]] = true
        // The squared distance between two unit vectors is 2 minus twice their cosine similarity.
        var distances = Self.distances(points, to: [chosen[0]])
        while chosen.count < k {
            try Task.checkCancellation()
            let candidates = draw(trials, distances, isChosen, using: &generator)
            let table = Self.distances(points, to: candidates)
            var best = (candidate: 0, total: Double.infinity)
            for candidate in candidates.indices {
                var total = 0.0
                for point in 0..<n { total += Double(min(distances[point], table[candidate * n + point])) }
                if total < best.total { best = (candidate, total) }
            }
            for point in 0..<n { distances[point] = min(distances[point], table[best.candidate * n + point]) }
            chosen.append(candidates[best.candidate])
            isChosen[candidates[best.candidate]] = true
        }
        return chosen
    }

    private static func draw(
        _ count: Int, _ distances: [Float], _ isChosen: [Bool], using generator: inout SeededGenerator
    ) -> [Int] {
        let total = distances.reduce(0.0) { $0 + Double($1) }
        let free = isChosen.indices.filter { !isChosen[$0] }
        var targets = (0..<count).map { _ in generator.nextUnit() * total }
        // Every point equals one of the seeds, so choose any point that is not a seed itself.
        guard total > 0 else { return [free[generator.nextIndex(below: free.count)]] }
        targets.sort()
        var drawn: [Int] = []
        var (sum, next) = (0.0, 0)
        for (point, distance) in distances.enumerated() where next < targets.count {
            sum += Double(distance)
            while next < targets.count, sum > targets[next] {
                if !isChosen[point], drawn.last != point { drawn.append(point) }
                next += 1
            }
        }
        return drawn.isEmpty ? [free[generator.nextIndex(below: free.count)]] : drawn
    }

    private static func distances(_ points: Matrix, to candidates: [Int]) -> [Float] {
        let (n, c) = (points.rows, candidates.count)
        let centers = points.selecting(candidates)
        let parts = Parallel.mapBlocks(of: n, size: block) { rows in
            centers.products(of: 0..<c, with: points, rows).map { max(0, 2 - 2 * $0) }
        }
        return (0..<c).flatMap { candidate in
            parts.flatMap { $0[candidate * ($0.count / c)..<(candidate + 1) * ($0.count / c)] }
        }
    }
}
