import RoostVectors

/// Seeds k-means by greedy k-means++ (Arthur & Vassilvitskii 2007). Each seed is drawn with a probability
/// proportional to its squared distance from the nearest previous seed. Several candidates are drawn for each
/// seed, and the one that reduces the sum of squared distances the most is kept.
enum KMeansSeeding {
    /// The minimum size of the sample from which seeds are chosen. If there are fewer points, all are used.
    private static let sampleSize = 20_000
    /// The minimum number of sampled points per group.
    private static let pointsPerGroup = 20
    /// The number of points in one matrix product.
    private static let block = 2048

    /// Chooses the initial centroids.
    ///
    /// - Returns: The row numbers of k points. The points are distinct if the sample has enough distinct
    ///   points.
    /// - Complexity: O(m · k · log k · d) for a sample of m points.
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

    /// Draws candidates for the next seed, in ascending order.
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

    /// Returns the squared distances of all points from each candidate: (candidates, n).
    private static func distances(_ points: Matrix, to candidates: [Int]) -> [Float] {
        let (n, d, c) = (points.rows, points.columns, candidates.count)
        let centers = points.selecting(candidates)
        var result = [Float](repeating: 0, count: c * n)
        result.withUnsafeMutableBufferPointer { result in
            let output = DisjointWrites(result.baseAddress!)
            points.elements.withUnsafeBufferPointer { points in
                centers.elements.withUnsafeBufferPointer { centers in
                    let points = SharedReads(points.baseAddress!)
                    let centers = SharedReads(centers.baseAddress!)
                    Parallel.forEachBlock(of: n, size: block) { rows in
                        BLAS.gemm(
                            .init(centers.pointer, stride: d),
                            .init(points.pointer + rows.lowerBound * d, stride: d, transposed: true),
                            into: output.pointer + rows.lowerBound, stride: n, m: c, n: rows.count, k: d)
                        for candidate in 0..<c {
                            let line = output.pointer + candidate * n
                            for row in rows { line[row] = max(0, 2 - 2 * line[row]) }
                        }
                    }
                }
            }
        }
        return result
    }
}
