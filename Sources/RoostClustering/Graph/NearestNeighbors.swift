import CRoostKernels
import RoostVectors

/// The k nearest neighbors of every row of a matrix.
struct NearestNeighbors: Sendable {
    let count: Int
    let k: Int
    /// The neighbors, (n, k) row-major, nearest first. Unused elements are ``none``.
    private(set) var rows: [UInt32]
    /// The inner products with the neighbors, in the same layout. Unused elements are -∞.
    private(set) var scores: [Float]

    static let none = UInt32.max

    func neighbors(of row: Int) -> ArraySlice<UInt32> {
        let all = rows[row * k..<(row + 1) * k]
        return all.prefix { $0 != Self.none }
    }

    /// Returns the fraction of the worst-case rounding error of byte products that the search allows for. The
    /// errors of the d components are independent, so the error of their sum is typically about 1 / √d of the
    /// worst case. The factor 3.6 corresponds to five standard deviations.
    private static func caution(_ dimension: Int) -> Float { min(1, 3.6 / Float(dimension).squareRoot()) }

    static let maximumExactCount = 50_000

    /// Finds the nearest neighbors of all rows.
    ///
    /// Up to ``maximumExactCount`` rows, all pairs are compared, first by vectors quantized to bytes. For
    /// more rows, each row is compared with the rows of the cells next to its own (``Cells``), which finds
    /// nearly all neighbors. The result does not depend on the number of threads.
    static func find(
        in vectors: Matrix, k: Int, exactUpTo limit: Int = maximumExactCount, seed: UInt64
    ) throws -> NearestNeighbors {
        let n = vectors.rows
        var result = NearestNeighbors(
            count: n, k: k, rows: Array(repeating: none, count: n * k),
            scores: Array(repeating: -.infinity, count: n * k))
        guard k > 0, n > 1 else { return result }
        if n <= limit {
            try result.search(vectors, [0..<n]) { _ in [0] }
        } else {
            let cells = try Cells(of: vectors, seed: seed)
            try result.search(vectors.selecting(cells.order), cells.spans) { cells.near[$0] }
            result.restoreOrder(cells.order)
        }
        return result
    }

    private static let block = 1024
    private static let tasksPerCheck = 16

    /// Finds the nearest neighbors of each row among the rows of its own cell and the cells near it.
    private mutating func search(
        _ vectors: Matrix, _ spans: [Range<Int>], _ near: @Sendable (Int) -> [Int]
    ) throws {
        let (d, k) = (vectors.columns, k)
        var tasks: [(cell: Int, rows: Range<Int>)] = []
        for (cell, span) in spans.enumerated() {
            for start in stride(from: span.lowerBound, to: span.upperBound, by: Self.block) {
                tasks.append((cell, start..<min(span.upperBound, start + Self.block)))
            }
        }
        for first in stride(from: 0, to: tasks.count, by: Self.tasksPerCheck) {
            try Task.checkCancellation()
            let part = Array(tasks[first..<min(tasks.count, first + Self.tasksPerCheck)])
            let found = Parallel.map(part) { task in
                vectors.elements.withUnsafeBufferPointer { elements in
                    Self.best(
                        k, of: task.rows, among: near(task.cell).map { spans[$0] },
                        in: elements.baseAddress!, dimension: d
                    ).map { $0.sorted() }
                }
            }
            for (row, neighbors) in zip(part.flatMap { $0.rows }, found.flatMap(\.self)) {
                for (rank, neighbor) in neighbors.enumerated() {
                    rows[row * k + rank] = neighbor.row
                    scores[row * k + rank] = neighbor.score
                }
            }
        }
    }

    private static func best(
        _ k: Int, of rows: Range<Int>, among spans: [Range<Int>], in base: UnsafePointer<Float>,
        dimension d: Int
    ) -> [TopK] {
        let vectors = base + rows.lowerBound * d
        if let bytes = ByteVectors(vectors, count: rows.count, dimension: d, caution: caution(d)) {
            return bytes.nearest(k, to: vectors, among: spans, in: base) { rows.lowerBound + $0 != $1 }
        }
        // The vectors have components that are not finite.
        return rows.map { row in
            var best = TopK(k)
            for other in spans.joined() where other != row {
                best.insert(row: UInt32(other), score: roost_dot(base + row * d, base + other * d, d))
            }
            return best
        }
    }

    private mutating func restoreOrder(_ order: [Int]) {
        var (originalRows, originalScores) = (rows, scores)
        for (index, row) in order.enumerated() {
            for neighbor in 0..<k {
                let other = rows[index * k + neighbor]
                originalRows[row * k + neighbor] = other == Self.none ? other : UInt32(order[Int(other)])
                originalScores[row * k + neighbor] = scores[index * k + neighbor]
            }
        }
        (rows, scores) = (originalRows, originalScores)
    }
}
