/// Finds groups of near-duplicate vectors by complete linkage: the similarity of every pair in a group
/// reaches the threshold.
///
/// For up to ``exactLimit`` distinct vectors, BLAS compares all pairs in blocks. Above the limit, trees of
/// random hyperplanes sort the vectors into leaves, with one direction per level and each node split at its
/// median (Dasgupta and Freund 2008), and only pairs within a leaf are compared. A hyperplane separates two
/// vectors at an angle of θ with a probability of about θ / π, so a tree of depth h keeps them together with
/// a probability of (1 - θ / π)^h. Among a million vectors, 16 trees find about 98% of the pairs with a
/// cosine of 0.95, and a larger share of the pairs with a higher cosine. Groups are merged only after a
/// comparison of all their pairs, so no pair below the threshold is ever in one group.
///
/// The result depends only on the set of vectors, not on the order of the rows.
package struct NearGroups: Sendable {
    /// The maximum number of distinct vectors for which all pairs are compared.
    package var exactLimit = 16_384
    /// The number of random trees that are used for more than ``exactLimit`` vectors.
    package var trees = 16
    package var seed: UInt64 = 1
    /// The maximum number of candidate pairs that are held in memory at the same time. A pair takes 12 bytes.
    package var pairLimit = 8 << 20

    private static let leaf = 64
    /// The number of rows that are compared with all following rows in one matrix product.
    private static let block = 128
    private static let blocksPerChunk = 8
    private static let leavesPerChunk = 4096
    /// The number of similarity intervals. If there are more pairs than ``pairLimit``, the number of pairs in
    /// each interval decides which pairs are processed together.
    private static let intervals = 4096
    /// An upper bound for the difference between an inner product that a matrix product computes and one that
    /// `roost_dot` computes.
    private static let productTolerance: Float = 1e-4

    package init() {}

    /// Returns groups of rows in which the inner product of every pair reaches a threshold.
    ///
    /// Pairs are visited by descending inner product. Two groups are merged if all of their pairs reach the
    /// threshold.
    ///
    /// - Parameters:
    ///   - vectors: A row-major Float32 matrix with n rows of d components, each row of unit length. A row of
    ///     zeros never belongs to a group.
    ///   - threshold: The minimum inner product of every pair in a group. It must be less than 1 by at least
    ///     the rounding error of an inner product.
    /// - Returns: Groups of two or more rows. The rows of each group are in ascending order, and the groups
    ///   are ordered by their first row.
    /// - Complexity: O(n² · d) for up to ``exactLimit`` vectors, and O(n · d · log n) for more vectors, if
    ///   groups are small.
    @concurrent
    package func find(_ vectors: Matrix, threshold: Float) async throws -> [[UInt32]] {
        let distinct = DistinctRows(vectors)
        let isExact = distinct.count <= exactLimit
        let few = isExact ? vectors.selecting(distinct.firsts.map { Int($0) }) : vectors
        let points = Points(
            matrix: few, rows: isExact ? (0..<UInt32(distinct.count)).map { $0 } : distinct.firsts)
        let leaves = isExact ? [] : try leaves(of: points)
        var linkage = CompleteLinkage(points.matrix, rows: points.rows, threshold: threshold)
        func visit(_ pairs: inout [SimilarPair]) throws {
            pairs.sort()
            for pair in pairs { try linkage.visit(pair.first, pair.second) }
        }
        let scale = SimilarityScale(threshold: threshold, intervals: Self.intervals)
        var pairs: [SimilarPair] = []
        var counts = [Int](repeating: 0, count: Self.intervals)
        var isComplete = true
        try forEachChunk(of: points, leaves, scale, within: 0..<Self.intervals) { chunk in
            for pair in chunk { counts[scale.interval(of: pair.similarity)] += 1 }
            isComplete = isComplete && pairs.count + chunk.count <= pairLimit
            if isComplete { pairs += chunk } else { pairs = [] }
        }
        if isComplete {
            try visit(&pairs)
        } else {
            // There are too many pairs to sort at once. Finds and visits the pairs band by band, those with
            // the highest similarities first.
            for band in scale.bands(counts, limit: pairLimit) {
                pairs.removeAll(keepingCapacity: true)
                try forEachChunk(of: points, leaves, scale, within: band) { pairs += $0 }
                try visit(&pairs)
            }
        }
        return linkage.groups.compactMap { group in
            if group.count == 1, !linkage.isSimilarToItself(group[0]) { return nil }
            let rows = group.flatMap { distinct.copies(of: Int($0)) }
            return rows.count > 1 ? rows.sorted() : nil
        }.sorted { $0[0] < $1[0] }
    }

    /// The distinct vectors, in an order that does not depend on the order of the input rows.
    private struct Points {
        var matrix: Matrix
        /// For each distinct vector, its row in `matrix`.
        var rows: [UInt32]
    }

    private func forEachChunk(
        of points: Points, _ leaves: [[UInt32]], _ scale: SimilarityScale, within band: Range<Int>,
        _ body: ([SimilarPair]) throws -> Void
    ) throws {
        let isWanted: @Sendable (Float) -> Bool = { similarity in
            similarity >= scale.threshold && band.contains(scale.interval(of: similarity))
        }
        if leaves.isEmpty {
            let step = Self.blocksPerChunk * Self.block
            let minimum = scale.minimum(of: band.lowerBound) - Self.productTolerance
            for start in stride(from: 0, to: points.rows.count, by: step) {
                try Task.checkCancellation()
                let rows = start..<min(points.rows.count, start + step)
                try body(Self.pairs(of: rows, points.matrix, minimum, isWanted))
            }
        } else {
            for start in stride(from: 0, to: leaves.count, by: Self.leavesPerChunk) {
                try Task.checkCancellation()
                let some = leaves[start..<min(leaves.count, start + Self.leavesPerChunk)]
                try body(Self.pairs(in: some, points, isWanted))
            }
        }
    }

    private static func pairs(
        of rows: Range<Int>, _ vectors: Matrix, _ minimum: Float, _ isWanted: @Sendable (Float) -> Bool
    ) -> [SimilarPair] {
        Parallel.mapBlocks(of: rows.count, size: block) { part in
            let part = rows.lowerBound + part.lowerBound..<rows.lowerBound + part.upperBound
            let others = part.lowerBound..<vectors.rows
            let products = vectors.products(of: part, with: vectors, others)
            var pairs: [SimilarPair] = []
            for row in part {
                let line = (row - part.lowerBound) * others.count - others.lowerBound
                for other in others where other > row && products[line + other] >= minimum {
                    // Recomputes the inner product, because the rounding of a matrix product depends on the
                    // size of the block.
                    let score = similarity(row, other, in: vectors)
                    guard isWanted(score) else { continue }
                    pairs.append(SimilarPair(similarity: score, first: UInt32(row), second: UInt32(other)))
                }
            }
            return pairs
        }.flatMap(\.self)
    }

    private func leaves(of points: Points) throws -> [[UInt32]] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<trees).flatMap { _ in
            try Task.checkCancellation()
            return Self.leaves(of: points, &generator)
        }
    }

    /// Returns the leaves of one random tree, which contain indices of ``Points/rows``.
    private static func leaves(of points: Points, _ generator: inout SeededGenerator) -> [[UInt32]] {
        let (count, d) = (points.rows.count, points.matrix.columns)
        // Allows four levels more than exact halving needs, because several values equal to the median make
        // the halves uneven.
        let depth = 4 + max(0, Int.bitWidth - (count / leaf).leadingZeroBitCount)
        let directions = Matrix(
            rows: depth, columns: d,
            elements: (0..<depth * d).map { _ in Float(generator.nextNormal()) })
        let sides = sides(of: points, directions)
        var (open, done) = ([(0..<UInt32(count)).map { $0 }], [[UInt32]]())
        for level in 0..<depth where !open.isEmpty {
            var next: [[UInt32]] = []
            for node in open {
                let sorted = node.map { (side: sides[Int($0) * depth + level], index: $0) }.sorted {
                    ($0.side, $0.index) < ($1.side, $1.index)
                }
                // All vectors whose value equals the median go to the upper half, so equal values are not
                // separated.
                let median = sorted[sorted.count / 2].side
                let middle = sorted.firstIndex { $0.side >= median } ?? 0
                for part in [sorted[..<middle], sorted[middle...]] where !part.isEmpty {
                    let indices = part.map(\.index)
                    if indices.count <= leaf || level == depth - 1 {
                        done.append(indices)
                    } else {
                        next.append(indices)
                    }
                }
            }
            open = next
        }
        return done + open
    }

    private static func sides(of points: Points, _ directions: Matrix) -> [Float] {
        // Copies the vectors into blocks that do not depend on the order of the input rows, so the rounding
        // does not depend on it either.
        Parallel.mapBlocks(of: points.rows.count, size: 1024) { part in
            let block = points.matrix.selecting(points.rows[part].map { Int($0) })
            return block.products(of: 0..<block.rows, with: directions)
        }.flatMap(\.self)
    }

    private static func pairs(
        in leaves: ArraySlice<[UInt32]>, _ points: Points, _ isWanted: @Sendable (Float) -> Bool
    ) -> [SimilarPair] {
        Parallel.map(Array(leaves)) { leaf in
            var pairs: [SimilarPair] = []
            for (position, index) in leaf.enumerated() {
                let row = Int(points.rows[Int(index)])
                for other in leaf[(position + 1)...] {
                    let score = similarity(row, Int(points.rows[Int(other)]), in: points.matrix)
                    guard isWanted(score) else { continue }
                    pairs.append(
                        SimilarPair(similarity: score, first: min(index, other), second: max(index, other)))
                }
            }
            return pairs
        }.flatMap(\.self)
    }

    private static func similarity(_ row: Int, _ other: Int, in vectors: Matrix) -> Float {
        vectors.withRow(row) { first in vectors.withRow(other) { innerProduct(first, $0) } }
    }
}

/// A pair of vectors whose inner product reaches the threshold of a near-duplicate search.
///
/// Pairs are ordered by descending similarity, and pairs of equal similarity by their indices.
struct SimilarPair: Comparable {
    var similarity: Float
    var first: UInt32
    var second: UInt32

    static func < (a: Self, b: Self) -> Bool {
        (b.similarity, a.first, a.second) < (a.similarity, b.first, b.second)
    }
}

/// Divides the range of similarities from a threshold to 1 into intervals of equal width.
struct SimilarityScale: Sendable {
    let threshold: Float
    let intervals: Int

    /// Returns the interval of a similarity that is at least the threshold. The last interval has the highest
    /// similarities.
    func interval(of similarity: Float) -> Int {
        let share = (similarity - threshold) / (1 - threshold)
        // The limits apply before the conversion, which would trap for an infinite similarity.
        return Int(max(0, min(Float(intervals - 1), share * Float(intervals))))
    }

    /// Returns a lower bound of the similarities in an interval.
    func minimum(of interval: Int) -> Float {
        threshold + (1 - threshold) * Float(interval) / Float(intervals)
    }

    /// Groups the intervals into ranges, those of the highest similarities first. A range contains at most
    /// `limit` pairs, unless it consists of a single interval.
    func bands(_ counts: [Int], limit: Int) -> [Range<Int>] {
        var bands: [Range<Int>] = []
        var (upper, sum) = (intervals, 0)
        for interval in (0..<intervals).reversed() {
            if sum > 0, sum + counts[interval] > limit {
                bands.append(interval + 1..<upper)
                (upper, sum) = (interval + 1, 0)
            }
            sum += counts[interval]
        }
        return sum > 0 ? bands + [0..<upper] : bands
    }
}
