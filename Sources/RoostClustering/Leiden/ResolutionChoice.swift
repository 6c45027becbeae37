import RoostVectors

/// Chooses among partitions, from fine to coarse, the one whose groups stand out most.
///
/// A sample of the rows is projected on its principal components, where what is common to all texts and the
/// noise of hundreds of directions are gone. There each partition's simplified silhouette (Hruschka et al.
/// 2004: how much nearer a row is to its own group's centre than to the next) is compared with what as many
/// groups reach in rows without any: as many normally distributed ones with the same variances, grouped by
/// k-means (the gap statistic's reference; Tibshirani, Walther & Hastie 2001). The greatest difference wins;
/// of those that differ from it by less than the standard error of the
/// difference the finest.
struct ResolutionChoice {
    private let sample: [Int]
    private let projected: Matrix
    private let reference: Matrix
    private let seed: UInt64

    private static let sampleSize = 6000
    private static let referenceSize = 3000
    private static let components = 24

    /// - Returns: `nil` where rows are too few, or all alike.
    init?(_ vectors: Matrix, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var rows = Array(0..<vectors.rows)
        if rows.count > Self.sampleSize {
            for place in 0..<Self.sampleSize {
                rows.swapAt(place, place + generator.nextIndex(below: rows.count - place))
            }
            rows = rows.prefix(Self.sampleSize).sorted()
        }
        let chosen = vectors.selecting(rows)
        guard chosen.rows > 4, let components = PrincipalComponents(of: chosen, limit: Self.components),
            components.variances.first ?? 0 > 0
        else { return nil }
        var projected = components.project(chosen)
        projected.normalizeRows()
        let deviations = components.variances.map { $0.squareRoot() }
        let count = min(chosen.rows, Self.referenceSize)
        var reference = Matrix(
            rows: count, columns: deviations.count,
            elements: (0..<count).flatMap { _ in deviations.map { $0 * Float(generator.nextNormal()) } })
        reference.normalizeRows()
        (sample, self.projected, self.reference, self.seed) = (rows, projected, reference, seed)
    }

    /// The place of the best of some partitions.
    ///
    /// - Parameter partitions: of all rows, from fine to coarse, groups numbered from 0.
    /// - Returns: also how much each stands out.
    func best(of partitions: [[Int32]]) throws -> (place: Int, gaps: [Double]) {
        let sampled = partitions.map { labels in Leiden.renumbered(sample.map { labels[$0] }) }
        var gaps = [Gap](repeating: Gap(value: 0, silhouettes: []), count: partitions.count)
        try Task.checkCancellation()
        gaps.withUnsafeMutableBufferPointer { gaps in
            guard let base = gaps.baseAddress else { return }
            let output = DisjointWrites(base)
            Parallel.forEachBlock(of: sampled.count, size: 1) { place in
                output[place.lowerBound] = gap(sampled[place.lowerBound])
            }
        }
        try Task.checkCancellation()
        guard let greatest = gaps.max(by: { $0.value < $1.value }) else { return (0, []) }
        let place = gaps.firstIndex { greatest.value - $0.value <= Self.error(greatest, $0) } ?? 0
        return (place, gaps.map(\.value))
    }

    /// How much a partition's silhouette is above what is to be expected, and the silhouette of each row.
    private struct Gap {
        var value: Double
        var silhouettes: [Float]
    }

    /// The standard error of the difference of two partitions of the same rows.
    private static func error(_ first: Gap, _ second: Gap) -> Double {
        guard first.silhouettes.count == second.silhouettes.count, !first.silhouettes.isEmpty else {
            return 0
        }
        let differences = zip(first.silhouettes, second.silhouettes).map { Double($0 - $1) }
        let n = Double(differences.count)
        let mean = differences.reduce(0, +) / n
        return (differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n * n)).squareRoot()
    }

    private func gap(_ groups: [Int32]) -> Gap {
        let count = Int((groups.max() ?? -1) + 1)
        // With one group, or a group a row, there is nothing to compare.
        guard count > 1, count <= reference.rows / 2 else {
            return Gap(value: count > 1 ? -1 : 0, silhouettes: [])
        }
        let silhouettes = Self.silhouettes(projected, groups, count)
        return Gap(value: Self.mean(silhouettes) - expectation(count), silhouettes: silhouettes)
    }

    /// What so many groups reach where there are none.
    private func expectation(_ count: Int) -> Double {
        var generator = SeededGenerator(seed: seed)
        var order = generator.permutation(reference.rows).map { Int($0) }
        order.removeLast(max(0, order.count - min(count, reference.rows / 2)))
        var run = KMeansRun(reference, start: reference.selecting(order))
        // Only a cancelled task ends it early; what it was for is given up then.
        do { try run.iterate(reference, atMost: 10) } catch { return 0 }
        return Self.mean(Self.silhouettes(reference, run.labels, run.centroids.rows))
    }

    /// The simplified silhouette of each row, -1 to 1.
    private static func silhouettes(_ rows: Matrix, _ groups: [Int32], _ count: Int) -> [Float] {
        var sums = [Float](repeating: 0, count: count * rows.columns)
        for (row, group) in groups.enumerated() {
            rows.withRow(row) { values in
                for column in 0..<rows.columns { sums[Int(group) * rows.columns + column] += values[column] }
            }
        }
        var centers = Matrix(rows: count, columns: rows.columns, elements: sums)
        centers.normalizeRows()
        var silhouettes = [Float](repeating: 0, count: groups.count)
        let (d, block) = (rows.columns, 512)
        var products = [Float](repeating: 0, count: min(block, rows.rows) * count)
        for start in stride(from: 0, to: rows.rows, by: block) {
            let part = start..<min(rows.rows, start + block)
            products.withUnsafeMutableBufferPointer { products in
                rows.elements.withUnsafeBufferPointer { rows in
                    centers.elements.withUnsafeBufferPointer { centers in
                        BLAS.gemm(
                            .init(rows.baseAddress! + start * d, stride: d),
                            .init(centers.baseAddress!, stride: d, transposed: true),
                            into: products.baseAddress!, stride: count, m: part.count, n: count, k: d)
                    }
                }
            }
            for row in part {
                let line = products[(row - start) * count..<(row - start + 1) * count]
                let own = Int(groups[row])
                var next = -Float.infinity
                for (candidate, product) in line.enumerated() where candidate != own {
                    next = max(next, product)
                }
                let (distance, other) = (max(0, 1 - line[line.startIndex + own]), max(0, 1 - next))
                let larger = max(distance, other)
                if larger > 0 { silhouettes[row] = (other - distance) / larger }
            }
        }
        return silhouettes
    }

    private static func mean(_ values: [Float]) -> Double {
        values.reduce(0.0) { $0 + Double($1) } / Double(max(1, values.count))
    }
}
