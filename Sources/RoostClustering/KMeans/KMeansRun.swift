import RoostVectors

/// One run of spherical k-means (Lloyd's algorithm): assigns every point to its nearest centroid and moves
/// every centroid to the mean direction of its points, until no label changes.
struct KMeansRun: Sendable {
    /// The centroids, (k, d), unit length.
    private(set) var centroids: Matrix
    /// The nearest centroid of each point.
    private(set) var labels: [Int32]
    /// The cosine of each point with its nearest centroid.
    private(set) var similarities: [Float]
    /// The cosine of each point with its second nearest centroid.
    private(set) var runnersUp: [Float]
    /// The second nearest centroid of each point, or -1 if it is unknown.
    private var seconds: [Int32]
    /// The number of iterations so far.
    private(set) var iterations = 0
    /// The mean cosine of the points with their centroids.
    private(set) var objective = 0.0

    /// The number of partial sums in the update of the centroids. It is fixed, and partial sums are added in
    /// order, so that the result does not depend on the number of threads.
    private static let partialSums = 16
    /// Separates the seeds of restarts: 2⁶⁴ divided by the golden ratio (Knuth's multiplicative hashing).
    private static let seedStep: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Returns a run that is seeded by k-means|| and mini-batches.
    static func batched(
        _ points: Matrix, k: Int, seed: UInt64, batchSize: Int, maximumIterations: Int
    ) throws -> KMeansRun {
        var generator = SeededGenerator(seed: seed)
        let seeds = try KMeansParallelSeeding.choose(k, of: points, using: &generator)
        // As many batches as use every point once.
        let start = try KMeansMiniBatch.refine(
            points.selecting(seeds), of: points, size: batchSize,
            batches: (points.rows + batchSize - 1) / batchSize, using: &generator)
        var run = KMeansRun(points, start: start)
        try run.iterate(points, atMost: maximumIterations)
        return run
    }

    /// Returns the run with the highest objective of several runs; of equal ones, the first.
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

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - points: The points, (n, d), unit length.
    ///   - start: The initial centroids.
    init(_ points: Matrix, start: Matrix) {
        centroids = start
        labels = Array(repeating: -1, count: points.rows)
        similarities = Array(repeating: 0, count: points.rows)
        runnersUp = Array(repeating: 0, count: points.rows)
        seconds = Array(repeating: -1, count: points.rows)
    }

    /// Iterates until no label changes, at most `limit` times.
    ///
    /// - Throws: `CancellationError`.
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
        // The centroids have moved: compute their labels.
        _ = assign(points)
        dropEmptyGroups()
        objective = similarities.reduce(0.0) { $0 + Double($1) } / Double(max(1, points.rows))
    }

    /// Removes groups without points. They remain if there are fewer distinct points than groups.
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

    /// Assigns every point to its nearest centroid; of equally near ones, to the first.
    ///
    /// - Returns: The number of labels that changed.
    private mutating func assign(_ points: Matrix) -> Int {
        let previous = labels
        let assignment = KMeansAssignment(points, centroids)
        assignment.run(&labels, &seconds, &similarities, &runnersUp)
        return zip(previous, labels).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
    }

    /// Returns the nearest centroid of each point; of equally near ones, the first.
    static func nearest(_ centroids: Matrix, to points: Matrix) -> [Int32] {
        nearestTwo(centroids, to: points).first
    }

    /// Returns the two nearest centroids of each point. The second is -1 if there is only one centroid.
    static func nearestTwo(_ centroids: Matrix, to points: Matrix) -> (first: [Int32], second: [Int32]) {
        var run = KMeansRun(points, start: centroids)
        _ = run.assign(points)
        return (run.labels, run.seconds)
    }

    /// Gives each empty group the point that is farthest from its centroid.
    ///
    /// - Returns: Whether there were empty groups.
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

    /// Moves every centroid to the mean direction of its points.
    private mutating func moveCentroids(_ points: Matrix) {
        let (n, d, k) = (points.rows, points.columns, centroids.rows)
        let part = max(1, (n + Self.partialSums - 1) / Self.partialSums)
        let parts = (n + part - 1) / part
        var sums = [Float](repeating: 0, count: parts * k * d)
        sums.withUnsafeMutableBufferPointer { sums in
            labels.withUnsafeBufferPointer { labels in
                points.elements.withUnsafeBufferPointer { points in
                    let sums = DisjointWrites(sums.baseAddress!)
                    let labels = SharedReads(labels.baseAddress!)
                    let points = SharedReads(points.baseAddress!)
                    Parallel.forEachBlock(of: n, size: part) { rows in
                        let base = sums.pointer + rows.lowerBound / part * k * d
                        for row in rows {
                            let target = base + Int(labels[row]) * d
                            let source = points.pointer + row * d
                            for column in 0..<d { target[column] += source[column] }
                        }
                    }
                }
            }
        }
        for part in 1..<max(1, parts) {
            for index in 0..<k * d { sums[index] += sums[part * k * d + index] }
        }
        var moved = Matrix(rows: k, columns: d, elements: Array(sums.prefix(k * d)))
        moved.normalizeRows()
        // Opposite points cancel out and leave no direction: keep the centroid.
        for group in 0..<k where moved.withRow(group, { $0.allSatisfy { $0 == 0 } }) {
            for column in 0..<d { moved[group, column] = centroids[group, column] }
        }
        centroids = moved
    }
}
