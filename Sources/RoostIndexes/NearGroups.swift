import CRoostKernels
package import RoostVectors

/// A search for groups of near-duplicate vectors, by complete linkage: all pairs of a group reach the
/// threshold.
///
/// Up to ``exactLimit`` different vectors, all pairs are compared in blocks by BLAS. Above the limit, trees
/// of random hyperplanes sort the vectors into leaves, with one direction per level and each node split at
/// its median (Dasgupta and Freund 2008), and only pairs within a leaf are compared. A hyperplane separates
/// two vectors at an angle of θ with a probability of about θ / π, so one tree of depth h keeps them together
/// with probability (1 - θ / π)^h. Of the pairs with a cosine of 0.95 among a million vectors, 16 trees find
/// about 98%, and more of the nearer pairs. Groups are merged only after a comparison of all their pairs,
/// so no pair below the threshold is ever in one group.
///
/// The result depends only on the set of vectors, not on the order of the rows.
package struct NearGroups: Sendable {
    /// The maximum number of different vectors for which all pairs are compared.
    package var exactLimit = 16_384
    /// The number of random trees above ``exactLimit``.
    package var trees = 16
    /// The seed of the random hyperplanes.
    package var seed: UInt64 = 1
    /// The maximum number of candidate pairs that are in memory at the same time, 12 bytes each.
    package var pairLimit = 8 << 20

    /// The maximum number of rows in a leaf.
    private static let leaf = 64
    /// The number of rows that are compared with all following rows in one matrix product.
    private static let block = 128
    /// The number of blocks, and of leaves, whose pairs are collected before they are counted.
    private static let (blocksAtOnce, leavesAtOnce) = (8, 4096)
    /// The number of intervals of similarity that are counted when there are more pairs than ``pairLimit``.
    private static let intervals = 4096
    /// More than the difference between an inner product of a matrix product and of `roost_dot`.
    private static let productTolerance: Float = 1e-4

    /// Creates a search with the default settings.
    package init() {}

    /// Returns groups of rows in which the inner product of every pair reaches a threshold.
    ///
    /// Pairs are visited by descending inner product. Two groups are merged if all of their pairs reach the
    /// threshold.
    ///
    /// - Parameters:
    ///   - vectors: (n, d) row-major Float32, unit length. A row of zeros is in no group.
    ///   - threshold: The minimum inner product of every pair, below 1 by at least the rounding error of an
    ///     inner product.
    /// - Returns: Groups of two or more ascending rows, ordered by their first row.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(n · d · log n) above the limit if groups are small.
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
            // Too many pairs to sort at once: find and visit those of the highest similarities first.
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

    /// The different vectors, in an order that does not depend on the order of the rows.
    private struct Points {
        var matrix: Matrix
        /// The row of each vector in `matrix`.
        var rows: [UInt32]
    }

    /// Calls `body` with the candidate pairs in intervals of similarity, chunk by chunk.
    private func forEachChunk(
        of points: Points, _ leaves: [[UInt32]], _ scale: SimilarityScale, within band: Range<Int>,
        _ body: ([SimilarPair]) throws -> Void
    ) throws {
        let isWanted: @Sendable (Float) -> Bool = { similarity in
            similarity >= scale.threshold && band.contains(scale.interval(of: similarity))
        }
        if leaves.isEmpty {
            let step = Self.blocksAtOnce * Self.block
            let minimum = scale.minimum(of: band.lowerBound) - Self.productTolerance
            for start in stride(from: 0, to: points.rows.count, by: step) {
                try Task.checkCancellation()
                let rows = start..<min(points.rows.count, start + step)
                try body(Self.pairs(of: rows, points.matrix, minimum, isWanted))
            }
        } else {
            for start in stride(from: 0, to: leaves.count, by: Self.leavesAtOnce) {
                try Task.checkCancellation()
                let some = leaves[start..<min(leaves.count, start + Self.leavesAtOnce)]
                try body(Self.pairs(in: some, points, isWanted))
            }
        }
    }

    /// Returns the wanted pairs that consist of one of `rows` and a row after it.
    ///
    /// - Parameter minimum: The minimum inner product according to the matrix product.
    private static func pairs(
        of rows: Range<Int>, _ vectors: Matrix, _ minimum: Float, _ isWanted: @Sendable (Float) -> Bool
    ) -> [SimilarPair] {
        let d = vectors.columns
        var found = [[SimilarPair]](repeating: [], count: (rows.count + block - 1) / block)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            vectors.elements.withUnsafeBufferPointer { elements in
                let base = SharedReads(elements.baseAddress!)
                Parallel.forEachBlock(of: rows.count, size: block) { part in
                    let first = rows.lowerBound + part.lowerBound
                    let others = vectors.rows - first
                    var pairs: [SimilarPair] = []
                    withUnsafeTemporaryAllocation(of: Float.self, capacity: part.count * others) { scores in
                        BLAS.gemm(
                            .init(base.pointer + first * d, stride: d),
                            .init(base.pointer + first * d, stride: d, transposed: true),
                            into: scores.baseAddress!, stride: others, m: part.count, n: others, k: d)
                        for row in 0..<part.count {
                            for other in (row + 1)..<max(row + 1, others)
                            where scores[row * others + other] >= minimum {
                                // A matrix product rounds differently depending on the size of the block.
                                let (a, b) = (first + row, first + other)
                                let score = roost_dot(base.pointer + a * d, base.pointer + b * d, d)
                                guard isWanted(score) else { continue }
                                pairs.append(
                                    SimilarPair(similarity: score, first: UInt32(a), second: UInt32(b)))
                            }
                        }
                    }
                    output[part.lowerBound / block] = pairs
                }
            }
        }
        return found.flatMap(\.self)
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
        // Four levels more than exact halving needs: equal values at a median make uneven halves.
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
                // Vectors with the median's value all go to the upper half, so near ones stay together.
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

    /// Returns the inner product of each vector with each direction.
    private static func sides(of points: Points, _ directions: Matrix) -> [Float] {
        let (d, depth, rows) = (points.matrix.columns, directions.rows, points.rows)
        var sides = [Float](repeating: 0, count: rows.count * depth)
        sides.withUnsafeMutableBufferPointer { sides in
            let output = DisjointWrites(sides.baseAddress!)
            points.matrix.elements.withUnsafeBufferPointer { elements in
                directions.elements.withUnsafeBufferPointer { directions in
                    let (base, across) = (
                        SharedReads(elements.baseAddress!), SharedReads(directions.baseAddress!)
                    )
                    Parallel.forEachBlock(of: rows.count, size: 1024) { part in
                        // A block has the same vectors for every order of the rows, and so rounds equally.
                        withUnsafeTemporaryAllocation(of: Float.self, capacity: part.count * d) { block in
                            for (index, row) in rows[part].enumerated() {
                                (block.baseAddress! + index * d).update(
                                    from: base.pointer + Int(row) * d, count: d)
                            }
                            BLAS.gemm(
                                .init(UnsafePointer(block.baseAddress!), stride: d),
                                .init(across.pointer, stride: d, transposed: true),
                                into: output.pointer + part.lowerBound * depth, stride: depth, m: part.count,
                                n: depth, k: d)
                        }
                    }
                }
            }
        }
        return sides
    }

    /// Returns the wanted pairs that share a leaf.
    private static func pairs(
        in leaves: ArraySlice<[UInt32]>, _ points: Points, _ isWanted: @Sendable (Float) -> Bool
    ) -> [SimilarPair] {
        let d = points.matrix.columns
        var found = [[SimilarPair]](repeating: [], count: leaves.count)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            points.matrix.elements.withUnsafeBufferPointer { elements in
                let base = SharedReads(elements.baseAddress!)
                Parallel.forEachBlock(of: leaves.count, size: 16) { part in
                    for number in part {
                        let leaf = leaves[leaves.startIndex + number]
                        var pairs: [SimilarPair] = []
                        for (position, index) in leaf.enumerated() {
                            let vector = base.pointer + Int(points.rows[Int(index)]) * d
                            for other in leaf[(position + 1)...] {
                                let score = roost_dot(
                                    vector, base.pointer + Int(points.rows[Int(other)]) * d, d)
                                guard isWanted(score) else { continue }
                                pairs.append(
                                    SimilarPair(
                                        similarity: score, first: min(index, other),
                                        second: max(index, other)))
                            }
                        }
                        output[number] = pairs
                    }
                }
            }
        }
        return found.flatMap(\.self)
    }
}
