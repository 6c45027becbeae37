import CRoostKernels
import RoostVectors

/// The assignment step of k-means: finds the two nearest centroids of every point.
struct KMeansAssignment {
    private let points: Matrix
    private let centroids: Matrix

    private static let block = 1024
    /// The minimum number of centroids at which quantized products are used to rule out candidates first. For
    /// fewer centroids, one matrix product is faster.
    private static let minimumCentroidsForBytes = 64

    init(_ points: Matrix, _ centroids: Matrix) { (self.points, self.centroids) = (points, centroids) }

    /// Finds the two nearest centroids of every point. Of equally near centroids, the one with the lower
    /// index counts as the nearer.
    ///
    /// - Complexity: O(n · k · d).
    func run(
        _ labels: inout [Int32], _ seconds: inout [Int32], _ similarities: inout [Float],
        _ runnersUp: inout [Float]
    ) {
        labels.withUnsafeMutableBufferPointer { labels in
            seconds.withUnsafeMutableBufferPointer { seconds in
                similarities.withUnsafeMutableBufferPointer { similarities in
                    runnersUp.withUnsafeMutableBufferPointer { runnersUp in
                        guard let base = labels.baseAddress else { return }
                        let output = Output(
                            labels: DisjointWrites(base), seconds: DisjointWrites(seconds.baseAddress!),
                            similarities: DisjointWrites(similarities.baseAddress!),
                            runnersUp: DisjointWrites(runnersUp.baseAddress!))
                        points.elements.withUnsafeBufferPointer { points in
                            centroids.elements.withUnsafeBufferPointer { centers in
                                let points = SharedReads(points.baseAddress!)
                                let centers = SharedReads(centers.baseAddress!)
                                Parallel.forEachBlock(of: self.points.rows, size: Self.block) { rows in
                                    if centroids.rows < Self.minimumCentroidsForBytes
                                        || !searchQuantized(rows, points.pointer, centers.pointer, output)
                                    {
                                        searchExact(rows, points.pointer, centers.pointer, output)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private struct Output: Sendable {
        let labels: DisjointWrites<Int32>
        let seconds: DisjointWrites<Int32>
        let similarities: DisjointWrites<Float>
        let runnersUp: DisjointWrites<Float>

        func set(_ row: Int, _ best: Pair) {
            labels[row] = best.first
            seconds[row] = best.second
            similarities[row] = best.score
            runnersUp[row] = best.second < 0 ? -1 : best.secondScore
        }
    }

    /// The two best centroids found so far; of equally near ones, the one with the lower index first.
    private struct Pair {
        var (first, second): (Int32, Int32) = (-1, -1)
        var (score, secondScore) = (-Float.infinity, -Float.infinity)

        mutating func insert(_ group: Int32, _ value: Float) {
            guard group != first, group != second else { return }
            if first < 0 || value > score || (value == score && group < first) {
                (second, secondScore) = (first, score)
                (first, score) = (group, value)
            } else if second < 0 || value > secondScore || (value == secondScore && group < second) {
                (second, secondScore) = (group, value)
            }
        }
    }

    private func searchExact(
        _ rows: Range<Int>, _ points: UnsafePointer<Float>, _ centers: UnsafePointer<Float>, _ output: Output
    ) {
        let (d, k) = (centroids.columns, centroids.rows)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: rows.count * k) { products in
            let products = products.baseAddress!
            BLAS.gemm(
                .init(points + rows.lowerBound * d, stride: d), .init(centers, stride: d, transposed: true),
                into: products, stride: k, m: rows.count, n: k, k: d)
            for row in rows {
                let line = products + (row - rows.lowerBound) * k
                var best = Pair()
                for group in 0..<k { best.insert(Int32(group), line[group]) }
                output.set(row, best)
            }
        }
    }

    /// Compares points with the centroids that quantized products do not rule out.
    ///
    /// - Returns: `false`, without a result, if a point has a component that is not finite.
    private func searchQuantized(
        _ rows: Range<Int>, _ points: UnsafePointer<Float>, _ centers: UnsafePointer<Float>, _ output: Output
    ) -> Bool {
        let (d, k) = (centroids.columns, centroids.rows)
        let first = points + rows.lowerBound * d
        guard let vectors = ByteVectors(first, count: rows.count, dimension: d) else { return false }
        var best = [Pair](repeating: Pair(), count: rows.count)
        var thresholds = [Float](repeating: -.infinity, count: rows.count)
        thresholds.withUnsafeMutableBufferPointer { thresholds in
            let thresholds = thresholds.baseAddress!
            func compare(_ index: Int, _ group: Int) {
                best[index].insert(Int32(group), roost_dot(first + index * d, centers + group * d, d))
                thresholds[index] = best[index].secondScore
            }
            // Start with the centroids of the previous iteration, which give tight thresholds.
            for index in 0..<rows.count {
                let row = rows.lowerBound + index
                for group in [Int(output.labels[row]), Int(output.seconds[row])] where group >= 0 && group < k
                {
                    compare(index, group)
                }
            }
            vectors.forEachPairReachingThreshold(centers, count: k, thresholds) { compare($0, $1) }
        }
        for index in 0..<rows.count { output.set(rows.lowerBound + index, best[index]) }
        return true
    }
}
