import RoostVectors

/// A partition of the rows of a large matrix into cells of several hundred rows, by their nearest centroid. Most of a
/// row's nearest neighbors are in its own cell and in the cells next to it (an inverted file; Jégou et al. 2011).
struct Cells: Sendable {
    /// The rows, cell by cell, ascending within each cell.
    let order: [Int]
    /// The range of each cell in ``order``. A large cell is cut into several parts, each with its own range.
    let spans: [Range<Int>]
    /// For each range, the ranges that its rows are compared with, itself first.
    let near: [[Int]]

    static let size = 600
    /// The maximum number of rows of a cell; a larger cell is cut.
    private static let maximumSize = 4 * size
    /// The number of cells that a row is compared with, including its own. With cells of `size` rows, each
    /// row is compared with about 12,000 others.
    static let probedCells = 20
    /// The number of rows that are sampled per centroid to find the centroids.
    private static let sampledRowsPerCell = 40
    /// The maximum number of k-means iterations on the sample. Cells only need to be compact, not optimal.
    private static let iterations = 6

    init(of vectors: Matrix, seed: UInt64) throws {
        let n = vectors.rows
        let count = max(1, n / Self.size)
        var generator = SeededGenerator(seed: seed)
        let wanted = min(n, count * Self.sampledRowsPerCell)
        let chosen = vectors.selecting(generator.sample(wanted, of: n))
        var run = KMeansRun(chosen, start: chosen.selecting((0..<count).map { $0 * wanted / count }))
        try run.iterate(chosen, atMost: Self.iterations)
        let centroids = run.centroids
        let (cells, seconds) = KMeansRun.nearestTwo(centroids, to: vectors)
        var members = [[Int]](repeating: [], count: centroids.rows)
        for (row, cell) in cells.enumerated() { members[Int(cell)].append(row) }
        order = members.flatMap { $0 }
        // The parts of each cell. A cell of many similar rows can be far larger than the average; it is cut
        // so that no row is compared with too many others.
        var (spans, parts, next) = ([Range<Int>](), [Range<Int>](), 0)
        for rows in members {
            let first = spans.count
            let step = rows.count > Self.maximumSize ? Self.size : max(1, rows.count)
            for start in stride(from: 0, to: max(1, rows.count), by: step) {
                spans.append(next + start..<next + min(rows.count, start + step))
            }
            parts.append(first..<spans.count)
            next += rows.count
        }
        self.spans = spans
        // Two cells are near each other if, for many rows of one cell, the second nearest centroid is that of
        // the other.
        var shared = [[Int: Int]](repeating: [:], count: centroids.rows)
        for (cell, second) in zip(cells, seconds) where second >= 0 {
            shared[Int(cell)][Int(second), default: 0] += 1
            shared[Int(second)][Int(cell), default: 0] += 1
        }
        let nearCells = shared.indices.map { cell in
            var found = [cell]
            let byOverlap = shared[cell].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            found += byOverlap.prefix(Self.probedCells - 1).map(\.key)
            return found.count < Self.probedCells ? Self.addingNearest(found, centroids) : found
        }
        near = parts.indices.flatMap { cell in
            parts[cell].map { part in
                // The nearest parts of the same cell come first, followed by the first part of each other cell.
                let own = parts[cell].sorted { (abs($0 - part), $0) < (abs($1 - part), $1) }
                let others = nearCells[cell].dropFirst().map { parts[$0].lowerBound }
                return Array((own.prefix(Self.probedCells / 2) + others).prefix(Self.probedCells))
            }
        }
    }

    /// Returns the given cells, followed by the cells with the nearest centroids, up to ``probedCells`` in total.
    private static func addingNearest(_ found: [Int], _ centroids: Matrix) -> [Int] {
        var best = TopK(Self.probedCells)
        centroids.withRow(found[0]) { center in
            for other in 0..<centroids.rows {
                best.insert(row: UInt32(other), score: centroids.withRow(other) { innerProduct($0, center) })
            }
        }
        let others = best.sorted().map { Int($0.row) }.filter { !found.contains($0) }
        return found + others.prefix(Self.probedCells - found.count)
    }
}
