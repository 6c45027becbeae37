import RoostVectors

/// The rows of a large matrix in cells of several hundred, by the nearest of as many centroids: what is near
/// a row lies mostly in its own cell and those around it (an inverted file; Jégou et al. 2011).
struct Cells: Sendable {
    /// The rows, cell by cell, in each ascending.
    let order: [Int]
    /// Where each cell's rows stand in ``order``, or each part's of a large one.
    let spans: [Range<Int>]
    /// For each cell those that its rows are compared with, itself first.
    let near: [[Int]]

    /// Rows a cell, on average.
    static let size = 600
    /// A cell of more is cut.
    private static let largest = 4 * size
    /// So many cells around a row's own are looked at, it included.
    static let around = 20
    /// Centroids are found on so many rows for each.
    private static let sampled = 40

    init(of vectors: Matrix, seed: UInt64) throws {
        let n = vectors.rows
        let count = max(1, n / Self.size)
        var generator = SeededGenerator(seed: seed)
        var sample = Array(0..<n)
        let wanted = min(n, count * Self.sampled)
        for place in 0..<wanted { sample.swapAt(place, place + generator.nextIndex(below: n - place)) }
        let chosen = vectors.selecting(sample.prefix(wanted).sorted())
        var run = KMeansRun(chosen, start: chosen.selecting((0..<count).map { $0 * wanted / count }))
        try run.iterate(chosen, atMost: 6)
        let centroids = run.centroids
        let (cells, seconds) = KMeansRun.nearestTwo(centroids, to: vectors)
        var members = [[Int]](repeating: [], count: centroids.rows)
        for (row, cell) in cells.enumerated() { members[Int(cell)].append(row) }
        order = members.flatMap { $0 }
        // Which parts each cell has. One far larger than most, of rows nearly alike, is cut, so that no row
        // is compared with too many.
        var (spans, parts, next) = ([Range<Int>](), [Range<Int>](), 0)
        for rows in members {
            let first = spans.count
            let step = rows.count > Self.largest ? Self.size : max(1, rows.count)
            for start in stride(from: 0, to: max(1, rows.count), by: step) {
                spans.append(next + start..<next + min(rows.count, start + step))
            }
            parts.append(first..<spans.count)
            next += rows.count
        }
        self.spans = spans
        // Cells are near each other where rows of the one nearly belong to the other.
        var shared = [[Int: Int]](repeating: [:], count: centroids.rows)
        for (cell, second) in zip(cells, seconds) where second >= 0 {
            shared[Int(cell)][Int(second), default: 0] += 1
            shared[Int(second)][Int(cell), default: 0] += 1
        }
        let nearCells = shared.indices.map { cell in
            var found = [cell]
            let most = shared[cell].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            found += most.prefix(Self.around - 1).map(\.key)
            return found.count < Self.around ? Self.filled(found, centroids) : found
        }
        near = parts.indices.flatMap { cell in
            parts[cell].map { part in
                // Its own cell's parts around it, then the first parts of the others.
                let own = parts[cell].sorted { (abs($0 - part), $0) < (abs($1 - part), $1) }
                let others = nearCells[cell].dropFirst().map { parts[$0].lowerBound }
                return Array((own.prefix(Self.around / 2) + others).prefix(Self.around))
            }
        }
    }

    /// With the cells whose centres are nearest, where there are too few.
    private static func filled(_ found: [Int], _ centroids: Matrix) -> [Int] {
        var best = TopK(Self.around)
        centroids.withRow(found[0]) { center in
            for other in 0..<centroids.rows {
                best.insert(row: UInt32(other), score: centroids.withRow(other) { innerProduct($0, center) })
            }
        }
        let others = best.sorted().map { Int($0.row) }.filter { !found.contains($0) }
        return found + others.prefix(Self.around - found.count)
    }
}
