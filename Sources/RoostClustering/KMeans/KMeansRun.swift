import RoostVectors

/// One run of spherical k-means (Lloyd's algorithm): assigns every point to its nearest centroid and moves
/// every centroid to the mean direction of its points, until no label changes.
struct KMeansRun: Sendable {
    /// The centroids, (k, d), unit length.
    private(set) var centroids: Matrix
    private(set) var labels: [Int32]
    private(set) var similarities: [Float]
    /// The cosine similarity of each point to its second-nearest centroid.
    private(set) var runnersUp: [Float]
    /// The index of the second-nearest centroid of each point, or -1 if it is unknown.
    private var seconds: [Int32]
    private(set) var iterations = 0
    /// The mean cosine similarity of the points to their centroids.
    private(set) var objective = 0.0

    /// The number of partial sums that are computed to update the centroids. The number is fixed and the
    /// partial sums are added in order, so the result does not depend on the number of threads.
    private static let partialSums = 16
    /// The difference between the seeds of successive restarts: 2⁶⁴ divided by the golden ratio, as in
    /// Knuth's multiplicative hashing.
    private static let seedStep: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Performs several runs and returns the one with the highest objective. If several runs are equally
    /// good, the first of them is returned.
    static func best(
        of restarts: Int, _ points: Matrix, k: Int, seed: UInt64, maximumIterations: Int
    ) throws -> KMeansRun {
        var best: KMeansRun?
        // With one group, or one group per point, every start gives the same result.
        for restart in 0..<(k == 1 || k == points.rows ? 1 : restarts) {
            var generator = SeededGenerator(seed: seed &+ UInt64(restart) &* seedStep)
            let seeds = try KMeansSeeding.choose(k, of: points, using: &generator)
            var run = KMeansRun(points, start: points.selecting(seeds))
            try run.iterate(points, atMost: maximumIterations)
            if best.map({ run.objective > $0.objective }) ?? true { best = run }
        }
        guard let best else { preconditionFailure("restarts must be at least 1") }
        return best
    }

    init(_ points: Matrix, start: Matrix) {
        centroids = start
        labels = Array(repeating: -1, count: points.rows)
        similarities = Array(repeating: 0, count: points.rows)
        runnersUp = Array(repeating: 0, count: points.rows)
        seconds = Array(repeating: -1, count: points.rows)
    }

    mutating func iterate(_ points: Matrix, atMost limit: Int) throws {
        while iterations < limit {
            try Task.checkCancellation()
            iterations += 1
            let changed = assign(points)
            objective = similarities.reduce(0.0) { $0 + Double($1) } / Double(max(1, points.rows))
            let reseeded = reseedEmptyGroups(points)
            if changed == 0 && !reseeded {
                dropEmptyGroups()
                return
            }
            moveCentroids(points)
        }
        // The centroids have moved since the last assignment, so assign the points again.
        _ = assign(points)
        dropEmptyGroups()
        objective = similarities.reduce(0.0) { $0 + Double($1) } / Double(max(1, points.rows))
    }

    /// Removes groups that contain no points. Such groups exist, for example, if there are fewer distinct
    /// points than groups.
    private mutating func dropEmptyGroups() {
        var sizes = [Int](repeating: 0, count: centroids.rows)
        for label in labels where label >= 0 { sizes[Int(label)] += 1 }
        let kept = sizes.indices.filter { sizes[$0] > 0 }
        guard kept.count < sizes.count else { return }
        var numbers = [Int32](repeating: -1, count: sizes.count)
        for (number, old) in kept.enumerated() { numbers[old] = Int32(number) }
        for row in labels.indices where labels[row] >= 0 { labels[row] = numbers[Int(labels[row])] }
        for row in seconds.indices { seconds[row] = -1 }
        centroids = centroids.selecting(kept)
    }

    /// Assigns every point to its nearest centroid. If several centroids are equally near, the first is used.
    private mutating func assign(_ points: Matrix) -> Int {
        let previous = labels
        let nearest = KMeansAssignment(points, centroids).run(labels, seconds)
        labels = nearest.map(\.first)
        seconds = nearest.map(\.second)
        similarities = nearest.map(\.score)
        runnersUp = nearest.map { $0.second < 0 ? -1 : $0.secondScore }
        return zip(previous, labels).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
    }

    static func nearest(_ centroids: Matrix, to points: Matrix) -> [Int32] {
        nearestTwo(centroids, to: points).first
    }

    /// Returns the two nearest centroids of each point. The second is -1 if there is only one centroid.
    static func nearestTwo(_ centroids: Matrix, to points: Matrix) -> (first: [Int32], second: [Int32]) {
        var run = KMeansRun(points, start: centroids)
        _ = run.assign(points)
        return (run.labels, run.seconds)
    }

    /// Moves one point into each empty group: the point that is farthest from its present centroid and is not
    /// the only point of its present group.
    private mutating func reseedEmptyGroups(_ points: Matrix) -> Bool {
        var sizes = [Int](repeating: 0, count: centroids.rows)
        for label in labels { sizes[Int(label)] += 1 }
        let empty = sizes.indices.filter { sizes[$0] == 0 }
        guard !empty.isEmpty else { return false }
        let farthest = labels.indices.sorted { (similarities[$0], $0) < (similarities[$1], $1) }
        var candidates = farthest.makeIterator()
        for group in empty {
            while let point = candidates.next() {
                let owner = Int(labels[point])
                guard sizes[owner] > 1 else { continue }
                sizes[owner] -= 1
                sizes[group] = 1
                labels[point] = Int32(group)
                break
            }
        }
        return true
    }

    private mutating func moveCentroids(_ points: Matrix) {
        let (n, d, k) = (points.rows, points.columns, centroids.rows)
        let part = max(1, (n + Self.partialSums - 1) / Self.partialSums)
        let partial = Parallel.mapBlocks(of: n, size: part) { [labels] rows in
            var sums = [Float](repeating: 0, count: k * d)
            sums.withUnsafeMutableBufferPointer { sums in
                for row in rows {
                    let first = Int(labels[row]) * d
                    points.withRow(row) { values in
                        for column in 0..<d { sums[first + column] += values[column] }
                    }
                }
            }
            return sums
        }
        var sums = partial.first ?? []
        for part in partial.dropFirst() { for index in sums.indices { sums[index] += part[index] } }
        var moved = Matrix(rows: k, columns: d, elements: sums)
        moved.normalizeRows()
        // If the points of a group cancel each other out, their mean has no direction. Keep the old centroid.
        for group in 0..<k where moved.withRow(group, { $0.allSatisfy { $0 == 0 } }) {
            for column in 0..<d { moved[group, column] = centroids[group, column] }
        }
        centroids = moved
    }
}
