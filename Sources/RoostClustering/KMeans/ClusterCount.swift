import RoostVectors

/// Chooses the number of groups k for k-means.
///
/// A sample of the points is projected onto its principal components, which removes the direction that all
/// texts share and the noise of hundreds of dimensions. The sample is clustered for each candidate k, and the
/// k with the highest mean simplified silhouette wins; of several equally good ones, the smallest wins. The
/// simplified silhouette (Hruschka et al. 2004) compares a point's distances to its own and to the second
/// nearest centroid. Candidates first grow by a factor of 1.25 from 2 up to twice the square root of n; then
/// values around the best one are tried.
struct ClusterCount: Sendable {
    /// The seed of the sample and of k-means.
    var seed: UInt64
    /// The maximum number of sampled points.
    var sampleSize = 4000
    /// The maximum number of principal components.
    var components = 24

    /// The number of runs of k-means for each candidate, of which the best one counts.
    private static let restarts = 2
    /// The maximum number of iterations of each run.
    private static let maximumIterations = 30
    /// The ratio of one candidate to the next in the coarse search.
    private static let growth = 1.25
    /// The number of steps of the fine search between two coarse candidates.
    private static let fineSteps = 12

    /// Returns the best number of groups.
    ///
    /// - Returns: 1 to n; 1 only if there are fewer than three different points.
    /// - Throws: `CancellationError`.
    func choose(for points: Matrix) throws -> Int {
        let sample = try sample(of: points)
        let maximumCount = min(sample.rows - 1, max(2, 2 * Int(Double(points.rows).squareRoot())))
        guard maximumCount >= 2 else { return 1 }
        var scores: [Int: Double] = [:]
        func score(_ k: Int) throws -> Double {
            if let known = scores[k] { return known }
            let run = try KMeansRun.best(
                of: Self.restarts, sample, k: k, seed: seed, maximumIterations: Self.maximumIterations)
            let score = silhouette(run)
            scores[k] = score
            return score
        }
        func better(_ a: Int, _ b: Int) throws -> Int { try score(b) > score(a) ? b : a }
        var best = 2
        var k = 2
        var coarse = [2]
        while true {
            let next = max(k + 1, Int((Double(k) * Self.growth).rounded()))
            guard next <= maximumCount else { break }
            coarse.append(next)
            best = try better(best, next)
            k = next
        }
        let index = coarse.firstIndex(of: best) ?? 0
        let low = index > 0 ? coarse[index - 1] + 1 : 2
        let high = index + 1 < coarse.count ? coarse[index + 1] - 1 : maximumCount
        let step = max(1, (high - low) / Self.fineSteps)
        for k in stride(from: low, through: max(low, high), by: step) where k <= maximumCount {
            best = try better(best, k)
        }
        return best
    }

    /// Returns distinct sampled points in the space of the principal components, normalized to unit length.
    private func sample(of points: Matrix) throws -> Matrix {
        var generator = SeededGenerator(seed: seed)
        let rows = generator.sample(sampleSize, of: points.rows)
        var seen = Set<[Float]>()
        let chosen = points.selecting(rows.filter { seen.insert(points.row($0)).inserted })
        guard chosen.rows > 2, let components = PrincipalComponents(of: chosen, limit: components) else {
            return chosen
        }
        var projected = components.project(chosen)
        projected.normalizeRows()
        return projected
    }

    /// Returns the mean simplified silhouette of a run.
    private func silhouette(_ run: KMeansRun) -> Double {
        var sum = 0.0
        for (own, other) in zip(run.similarities, run.runnersUp) {
            let (a, b) = (Double(max(0, 1 - own)), Double(max(0, 1 - other)))
            if max(a, b) > 0 { sum += (b - a) / max(a, b) }
        }
        return sum / Double(max(1, run.similarities.count))
    }
}
