import RoostVectors

/// Finds the nearest neighbors of vectors among the points of a sample that does not contain them.
struct SampleNeighbors: Sendable {
    /// The points of the sample; in a large sample, cell by cell.
    let points: Matrix
    /// The number that each point had in the matrix from which this value was created.
    private let order: [Int]
    /// The cells of a large sample; `nil` if vectors are compared with all points.
    private let cells: Cells?

    /// A neighbor of a vector.
    struct Found: Sendable {
        /// The index in ``points``.
        var index: Int
        /// The cosine with the vector.
        var score: Float
    }

    /// The maximum number of vectors that are compared at once.
    private static let block = 1024

    /// Prepares the search.
    ///
    /// - Parameters:
    ///   - points: The points of the sample, unit length, all different.
    ///   - limit: The maximum number of points for which vectors are compared with all of them. In a larger
    ///     sample, a vector is compared with the points of the cells next to its own (``Cells``).
    ///   - seed: The seed of the cells.
    /// - Throws: `CancellationError`.
    init(
        _ points: Matrix, exactUpTo limit: Int = NearestNeighbors.maximumExactCount, seed: UInt64
    ) throws {
        guard points.rows > limit else {
            (self.points, order, cells) = (points, Array(0..<points.rows), nil)
            return
        }
        let cells = try Cells(of: points, seed: seed)
        (self.points, order, self.cells) = (points.selecting(cells.order), cells.order, cells)
    }

    /// Returns the number that a point had in the matrix from which this value was created.
    func number(of index: Int) -> Int { order[index] }

    /// Returns the nearest points of each vector, nearest first. The result does not depend on the other
    /// vectors or on the number of threads.
    ///
    /// - Parameters:
    ///   - vectors: The vectors, (n, d), unit length.
    ///   - k: The number of neighbors of each vector, at least 1.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(n · sample · d) byte operations for an exact result; otherwise, O(n · d) with a factor
    ///   of about 12,000.
    func find(_ vectors: Matrix, k: Int) throws -> [[Found]] {
        let tasks = tasks(for: vectors)
        var result = [[Found]](repeating: [], count: vectors.rows)
        let (points, dimension) = (points, vectors.columns)
        try Task.checkCancellation()
        result.withUnsafeMutableBufferPointer { result in
            guard let target = result.baseAddress else { return }
            let output = DisjointWrites(target)
            points.elements.withUnsafeBufferPointer { elements in
                guard let first = elements.baseAddress else { return }
                let base = SharedReads(first)
                Parallel.forEachBlock(of: tasks.count, size: 1) { block in
                    let task = tasks[block.lowerBound]
                    let best = vectors.selecting(task.rows).elements.withUnsafeBufferPointer { selected in
                        NearestNeighbors.best(
                            k, of: selected.baseAddress!, count: task.rows.count, firstRow: nil,
                            among: task.spans, of: base.pointer, dimension: dimension)
                    }
                    for (row, neighbors) in zip(task.rows, best) {
                        output[row] = neighbors.sorted().map { Found(index: Int($0.row), score: $0.score) }
                    }
                }
            }
        }
        try Task.checkCancellation()
        return result
    }

    /// Vectors that are compared with the same points.
    private struct Comparison: Sendable {
        var rows: [Int]
        var spans: [Range<Int>]
    }

    private func tasks(for vectors: Matrix) -> [Comparison] {
        guard vectors.rows > 0 else { return [] }
        guard let cells else {
            return stride(from: 0, to: vectors.rows, by: Self.block).map { start in
                Comparison(
                    rows: Array(start..<min(vectors.rows, start + Self.block)), spans: [0..<points.rows])
            }
        }
        var members = [[Int]](repeating: [], count: cells.centroids.rows)
        for (row, cell) in KMeansRun.nearest(cells.centroids, to: vectors).enumerated() {
            members[Int(cell)].append(row)
        }
        return members.indices.lazy.filter { !members[$0].isEmpty }.flatMap { cell in
            let spans = cells.near[cells.firstSpans[cell]].map { cells.spans[$0] }
            return stride(from: 0, to: members[cell].count, by: Self.block).map { start in
                let end = min(members[cell].count, start + Self.block)
                return Comparison(rows: Array(members[cell][start..<end]), spans: spans)
            }
        }
    }
}
