import RoostVectors

/// The rows of a large matrix in cells of several hundred, by the nearest of as many centroids: what is near
/// a row lies mostly in its own cell and those around it (an inverted file; Jégou et al. 2011).
struct Cells: Sendable {
    /// The rows, cell by cell, in each ascending.
    let order: [Int]
    /// Where each cell's rows stand in ``order``.
    let spans: [Range<Int>]
    private let centroids: Matrix

    /// Rows a cell, on average.
    static let size = 600
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
        centroids = run.centroids
        let cells = KMeansRun.nearest(centroids, to: vectors)
        var members = [[Int]](repeating: [], count: centroids.rows)
        for (row, cell) in cells.enumerated() { members[Int(cell)].append(row) }
        order = members.flatMap { $0 }
        var next = 0
        spans = members.map { rows in
            defer { next += rows.count }
            return next..<next + rows.count
        }
    }

    /// The cells around one, nearest first, itself first.
    func near(_ cell: Int) -> [Int] {
        var best = TopK(Self.around - 1)
        centroids.withRow(cell) { center in
            for other in 0..<centroids.rows where other != cell {
                let score = centroids.withRow(other) { innerProduct($0, center) }
                best.insert(row: UInt32(other), score: score)
            }
        }
        return [cell] + best.sorted().map { Int($0.row) }
    }
}
