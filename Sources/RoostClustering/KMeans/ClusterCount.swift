import RoostVectors

/// Chooses how many groups k-means should make.
///
/// A sample of the points is projected on its principal components, where what is common to all texts and
/// the noise of hundreds of directions are gone. For each candidate k the points are grouped, and the
/// simplified silhouette (Hruschka et al. 2004: how much nearer a point is to its own centroid than to the
/// next one) is taken; the k with the highest wins, the smaller of equals. Candidates grow by a quarter
/// each up to twice the square root of n, then the neighbours of the best are tried one by one.
struct ClusterCount: Sendable {
    var seed: UInt64
    var sampleSize = 4000
    var components = 24

    /// - Returns: 1 to n; 1 only where there are fewer than three different points.
    func choose(for points: Matrix) throws -> Int {
        let sample = try sample(of: points)
        let largest = min(sample.rows - 1, max(2, 2 * Int(Double(points.rows).squareRoot())))
        guard largest >= 2 else { return 1 }
        var scores: [Int: Double] = [:]
        func score(_ k: Int) throws -> Double {
            if let known = scores[k] { return known }
            let run = try KMeansRun.best(of: 2, sample, k: k, seed: seed, maximumIterations: 30)
            let score = silhouette(run)
            scores[k] = score
            return score
        }
        func better(_ a: Int, _ b: Int) throws -> Int { try score(b) > score(a) ? b : a }
        var best = 2
        var k = 2
        var coarse = [2]
        while true {
            let next = max(k + 1, Int((Double(k) * 1.25).rounded()))
            guard next <= largest else { break }
            coarse.append(next)
            best = try better(best, next)
            k = next
        }
        let place = coarse.firstIndex(of: best) ?? 0
        let low = place > 0 ? coarse[place - 1] + 1 : 2
        let high = place + 1 < coarse.count ? coarse[place + 1] - 1 : largest
        for k in stride(from: low, through: max(low, high), by: max(1, (high - low) / 12)) where k <= largest
        {
            best = try better(best, k)
        }
        return best
    }

    /// Different points in the space of the principal components, at unit length.
    private func sample(of points: Matrix) throws -> Matrix {
        var generator = SeededGenerator(seed: seed)
        var rows = Array(0..<points.rows)
        if rows.count > sampleSize {
            for place in 0..<sampleSize {
                rows.swapAt(place, place + generator.nextIndex(below: rows.count - place))
            }
            rows = rows.prefix(sampleSize).sorted()
        }
        var seen = Set<[Float]>()
        let chosen = points.selecting(rows.filter { seen.insert(points.row($0)).inserted })
        guard chosen.rows > 2, let components = PrincipalComponents(of: chosen, limit: components) else {
            return chosen
        }
        var projected = components.project(chosen)
        projected.normalizeRows()
        return projected
    }

    private func silhouette(_ run: KMeansRun) -> Double {
        var sum = 0.0
        for (own, other) in zip(run.similarities, run.runnersUp) {
            let (a, b) = (Double(max(0, 1 - own)), Double(max(0, 1 - other)))
            if max(a, b) > 0 { sum += (b - a) / max(a, b) }
        }
        return sum / Double(max(1, run.similarities.count))
    }
}
