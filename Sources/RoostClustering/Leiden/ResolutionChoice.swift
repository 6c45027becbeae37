import RoostVectors

/// Chooses among partitions, from fine to coarse, the one whose groups stand out most.
///
/// A sample of the rows is projected on its principal components, where what is common to all texts and the noise of
/// hundreds of directions are gone. There each partition's simplified silhouette (Hruschka et al. 2004: how much nearer
/// a row is to its own group's centre than to the next) is compared with what as many groups reach in rows without
/// any: as many normally distributed ones with the same variances, grouped by k-means (the gap statistic's reference;
/// Tibshirani, Walther & Hastie 2001). The greatest difference wins; of those nearly as great the finest.
struct ResolutionChoice {
    private let sample: [Int]
    private let projected: Matrix
    private let reference: Matrix
    private let seed: UInt64
    private var expected: [Int: Double] = [:]

    private static let sampleSize = 6000
    private static let referenceSize = 3000
    private static let components = 24
    /// So much of the greatest difference is as good as all of it.
    private static let nearly = 0.95

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
    mutating func best(of partitions: [[Int32]]) throws -> (place: Int, gaps: [Double]) {
        var gaps: [Double] = []
        for labels in partitions { gaps.append(try gap(labels)) }
        let greatest = gaps.max() ?? 0
        let enough = greatest > 0 ? greatest * Self.nearly : greatest
        return (gaps.firstIndex { $0 >= enough } ?? 0, gaps)
    }

    private mutating func gap(_ labels: [Int32]) throws -> Double {
        let own = sample.map { labels[$0] }
        let groups = Leiden.renumbered(own)
        let count = Int((groups.max() ?? -1) + 1)
        // With one group, or a group a row, there is nothing to compare.
        guard count > 1, count <= sample.count / 2 else { return count > 1 ? -1 : 0 }
        return Self.silhouette(projected, groups, count) - (try expectation(count))
    }

    /// What so many groups reach where there are none.
    private mutating func expectation(_ count: Int) throws -> Double {
        if let known = expected[count] { return known }
        let run = try KMeansRun.best(
            of: 1, reference, k: min(count, reference.rows / 2), seed: seed, maximumIterations: 12)
        let value = Self.silhouette(reference, run.labels, run.centroids.rows)
        expected[count] = value
        return value
    }

    private static func silhouette(_ rows: Matrix, _ groups: [Int32], _ count: Int) -> Double {
        var sums = [Float](repeating: 0, count: count * rows.columns)
        for (row, group) in groups.enumerated() {
            rows.withRow(row) { values in
                for column in 0..<rows.columns { sums[Int(group) * rows.columns + column] += values[column] }
            }
        }
        var centers = Matrix(rows: count, columns: rows.columns, elements: sums)
        centers.normalizeRows()
        var total = 0.0
        let products = Matrix(rows: rows.rows, columns: count) { target in
            rows.elements.withUnsafeBufferPointer { rowElements in
                centers.elements.withUnsafeBufferPointer { centerElements in
                    BLAS.gemm(
                        .init(rowElements.baseAddress!, stride: rows.columns),
                        .init(centerElements.baseAddress!, stride: rows.columns, transposed: true), into: target,
                        stride: count, m: rows.rows, n: count, k: rows.columns)
                }
            }
        }
        for (row, group) in groups.enumerated() {
            products.withRow(row) { line in
                var other = -Float.infinity
                for candidate in 0..<count where candidate != Int(group) { other = max(other, line[candidate]) }
                let (own, next) = (Double(max(0, 1 - line[Int(group)])), Double(max(0, 1 - other)))
                if max(own, next) > 0 { total += (next - own) / max(own, next) }
            }
        }
        return total / Double(max(1, groups.count))
    }
}
