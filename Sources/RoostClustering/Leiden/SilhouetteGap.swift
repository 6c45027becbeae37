import RoostVectors

/// Measures how much more distinct the groups of a partition are than groups in data without structure.
///
/// A sample of the rows is projected onto its principal components, which removes the direction that all texts share
/// and the noise of hundreds of dimensions. In this space, the mean simplified silhouette of each partition, which
/// relates the distance of a row from its own centroid to that from the second-nearest one (Hruschka et al. 2004), is
/// compared with the silhouette of the same number of groups that k-means finds in data without structure: normally
/// distributed rows with the same variances (the reference of the gap statistic; Tibshirani, Walther & Hastie 2001).
struct SilhouetteGap {
    private let sample: [Int]
    /// The sampled rows in the space of the principal components, unit length.
    private let projected: Matrix
    /// Matrices of random, normally distributed rows with the same variances, scaled to unit length.
    private let references: [Matrix]
    private let seed: UInt64

    private static let sampleSize = 6000
    private static let referenceSize = 3000
    /// The maximum number of references. The silhouettes of small references vary, so several of them are
    /// averaged, with at most ``referenceSize`` rows in total.
    private static let maximumReferences = 10
    private static let components = 24
    private static let referenceIterations = 10
    private static let minimumCount = 5

    /// Prepares the sample and the references.
    ///
    /// - Returns: `nil` if there are too few rows, or if all are equal.
    init?(_ vectors: Matrix, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rows = generator.sample(Self.sampleSize, of: vectors.rows)
        let chosen = vectors.selecting(rows)
        guard chosen.rows >= Self.minimumCount,
            let components = PrincipalComponents(of: chosen, limit: Self.components),
            components.variances.first ?? 0 > 0
        else { return nil }
        var projected = components.project(chosen)
        projected.normalizeRows()
        let deviations = components.variances.map { $0.squareRoot() }
        let count = min(chosen.rows, Self.referenceSize)
        var references: [Matrix] = []
        for _ in 0..<min(max(1, Self.referenceSize / count), Self.maximumReferences) {
            var reference = Matrix(
                rows: count, columns: deviations.count,
                elements: (0..<count).flatMap { _ in deviations.map { $0 * Float(generator.nextNormal()) } })
            reference.normalizeRows()
            references.append(reference)
        }
        (sample, self.projected, self.references, self.seed) = (rows, projected, references, seed)
    }

    /// Returns the gap of each partition, -2 to 2; 0 for a single group.
    func values(of partitions: [[Int32]]) throws -> [Double] {
        let sampled = partitions.map { labels in Leiden.renumbered(sample.map { labels[$0] }) }
        try Task.checkCancellation()
        let gaps = Parallel.map(sampled) { gap($0) }
        try Task.checkCancellation()
        return gaps
    }

    private func gap(_ groups: [Int32]) -> Double {
        let count = Int((groups.max() ?? -1) + 1)
        // A single group has no silhouette, and too many groups cannot be compared with a reference.
        guard count > 1, count <= references[0].rows / 2 else { return count > 1 ? -1 : 0 }
        return Self.silhouette(of: projected, groups, count) - expectation(count)
    }

    /// Returns the mean silhouette of the given number of groups in the references, which have no structure.
    private func expectation(_ count: Int) -> Double {
        let sum = references.reduce(0.0) { sum, reference in
            var generator = SeededGenerator(seed: seed)
            let start = generator.permutation(reference.rows).prefix(count).map { Int($0) }
            var run = KMeansRun(reference, start: reference.selecting(start))
            // Only cancellation throws an error, and the caller discards the result in that case.
            do { try run.iterate(reference, atMost: Self.referenceIterations) } catch { return sum }
            return sum + Self.silhouette(of: reference, run.labels, run.centroids.rows)
        }
        return sum / Double(references.count)
    }

    /// Returns the mean simplified silhouette of the rows.
    private static func silhouette(of rows: Matrix, _ groups: [Int32], _ count: Int) -> Double {
        let centers = GroupsOfPoints.centroids(of: groups, count: count, in: rows)
        var sum = 0.0
        let block = 512
        for start in stride(from: 0, to: rows.rows, by: block) {
            let part = start..<min(rows.rows, start + block)
            let products = rows.products(of: part, with: centers)
            for row in part {
                let line = products[(row - start) * count..<(row - start + 1) * count]
                let own = Int(groups[row])
                var next = -Float.infinity
                for (candidate, product) in line.enumerated() where candidate != own {
                    next = max(next, product)
                }
                let (distance, other) = (max(0, 1 - line[line.startIndex + own]), max(0, 1 - next))
                let larger = max(distance, other)
                if larger > 0 { sum += Double((other - distance) / larger) }
            }
        }
        return sum / Double(max(1, rows.rows))
    }
}
