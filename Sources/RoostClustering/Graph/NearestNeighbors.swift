import CRoostKernels
import RoostVectors

/// The nearest others of every row of a matrix.
struct NearestNeighbors: Sendable {
    /// How many rows there are.
    let count: Int
    /// How many are looked for.
    let k: Int
    /// (n, k) row-major, best first; where there are fewer, `none`.
    private(set) var rows: [UInt32]
    /// Their inner products, likewise; where there are none, -∞.
    private(set) var scores: [Float]

    static let none = UInt32.max

    /// The nearest of one row, best first.
    func neighbors(of row: Int) -> ArraySlice<UInt32> {
        let all = rows[row * k..<(row + 1) * k]
        return all.prefix { $0 != Self.none }
    }

    /// Five standard deviations of what rounding does: errors of d numbers add up to 1 / √d of the worst.
    private static func caution(_ dimension: Int) -> Float { min(1, 3.6 / Float(dimension).squareRoot()) }

    /// Up to so many rows all are compared with all.
    static let largestExact = 50_000

    /// Finds the nearest of all rows.
    ///
    /// Up to ``largestExact`` rows all are compared with all, in bytes first. Beyond, a row is compared with
    /// the rows of the cells around its own (``Cells``), which finds nearly all of them; a row's place among
    /// equals never depends on the number of threads.
    ///
    /// - Parameter vectors: unit length, all different.
    /// - Complexity: O(n² · d) while exact, in bytes; beyond O(n · d) times about 12,000.
    static func find(in vectors: Matrix, k: Int, exactUpTo limit: Int = largestExact, seed: UInt64) throws
        -> NearestNeighbors
    {
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
            result.rename(cells.order)
        }
        return result
    }

    private static let block = 1024

    /// - Parameters:
    ///   - vectors: the rows, cell by cell.
    ///   - near: the cells whose rows the rows of a cell are compared with, itself first.
    private mutating func search(_ vectors: Matrix, _ spans: [Range<Int>], _ near: @Sendable (Int) -> [Int])
        throws
    {
        let (d, k) = (vectors.columns, k)
        var tasks: [(cell: Int, rows: Range<Int>)] = []
        for (cell, span) in spans.enumerated() {
            for start in stride(from: span.lowerBound, to: span.upperBound, by: Self.block) {
                tasks.append((cell, start..<min(span.upperBound, start + Self.block)))
            }
        }
        let step = 16
        for first in stride(from: 0, to: tasks.count, by: step) {
            try Task.checkCancellation()
            let part = Array(tasks[first..<min(tasks.count, first + step)])
            rows.withUnsafeMutableBufferPointer { rows in
                scores.withUnsafeMutableBufferPointer { scores in
                    let (rows, scores) = (
                        DisjointWrites(rows.baseAddress!), DisjointWrites(scores.baseAddress!)
                    )
                    vectors.elements.withUnsafeBufferPointer { elements in
                        let base = SharedReads(elements.baseAddress!)
                        Parallel.forEachBlock(of: part.count, size: 1) { place in
                            let task = part[place.lowerBound]
                            let best = Self.best(
                                base.pointer, d, k, of: task.rows, among: near(task.cell).map { spans[$0] })
                            for (row, found) in zip(task.rows, best) {
                                for (place, neighbor) in found.sorted().enumerated() {
                                    rows[row * k + place] = neighbor.row
                                    scores[row * k + place] = neighbor.score
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The nearest of some rows among those of some spans.
    private static func best(
        _ base: UnsafePointer<Float>, _ d: Int, _ k: Int, of rows: Range<Int>, among spans: [Range<Int>]
    ) -> [TopK] {
        var best = [TopK](repeating: TopK(k), count: rows.count)
        var thresholds = [Float](repeating: -.infinity, count: rows.count)
        best.withUnsafeMutableBufferPointer { best in
            thresholds.withUnsafeMutableBufferPointer { thresholds in
                let (best, thresholds) = (best.baseAddress!, thresholds.baseAddress!)
                func compare(_ place: Int, _ other: Int) {
                    let row = rows.lowerBound + place
                    guard row != other else { return }
                    let score = roost_dot(base + row * d, base + other * d, d)
                    guard score >= thresholds[place] else { return }
                    best[place].insert(row: UInt32(other), score: score)
                    thresholds[place] = best[place].threshold
                }
                let vectors = ByteVectors(
                    base + rows.lowerBound * d, count: rows.count, dimension: d, caution: caution(d))
                for span in spans {
                    if let vectors {
                        let first = base + span.lowerBound * d
                        vectors.forEachReaching(first, count: span.count, thresholds) { place, offset in
                            compare(place, span.lowerBound + offset)
                        }
                    } else {
                        for place in 0..<rows.count { for other in span { compare(place, other) } }
                    }
                }
            }
        }
        return best
    }

    /// Gives rows the names that they had before they were put in an order.
    private mutating func rename(_ order: [Int]) {
        var (named, ranked) = (rows, scores)
        for (place, row) in order.enumerated() {
            for neighbor in 0..<k {
                let other = rows[place * k + neighbor]
                named[row * k + neighbor] = other == Self.none ? other : UInt32(order[Int(other)])
                ranked[row * k + neighbor] = scores[place * k + neighbor]
            }
        }
        (rows, scores) = (named, ranked)
    }
}
