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

    /// Returns the two nearest centroids of every point. Of equally near centroids, the one with the lower
    /// index counts as the nearer.
    ///
    /// - Parameters:
    ///   - labels: The nearest centroid of each point in the previous iteration; negative if unknown.
    ///   - seconds: The second-nearest ones.
    func run(_ labels: [Int32], _ seconds: [Int32]) -> [NearestTwo] {
        Parallel.mapBlocks(of: points.rows, size: Self.block) { rows in
            if centroids.rows >= Self.minimumCentroidsForBytes,
                let found = searchQuantized(rows, labels, seconds)
            {
                return found
            }
            return searchExact(rows)
        }.flatMap(\.self)
    }

    /// The two best centroids found so far; of equally near ones, the one with the lower index first.
    struct NearestTwo {
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

    private func searchExact(_ rows: Range<Int>) -> [NearestTwo] {
        let k = centroids.rows
        let products = points.products(of: rows, with: centroids)
        return rows.map { row in
            var best = NearestTwo()
            for group in 0..<k { best.insert(Int32(group), products[(row - rows.lowerBound) * k + group]) }
            return best
        }
    }

    /// Compares points with the centroids that quantized products do not rule out.
    ///
    /// - Returns: `nil` if a point has a component that is not finite.
    private func searchQuantized(_ rows: Range<Int>, _ labels: [Int32], _ seconds: [Int32]) -> [NearestTwo]? {
        let (d, k) = (centroids.columns, centroids.rows)
        var best = [NearestTwo](repeating: NearestTwo(), count: rows.count)
        var thresholds = [Float](repeating: -.infinity, count: rows.count)
        let isFinite = points.elements.withUnsafeBufferPointer { points in
            centroids.elements.withUnsafeBufferPointer { centers in
                let (first, centers) = (points.baseAddress! + rows.lowerBound * d, centers.baseAddress!)
                guard let vectors = ByteVectors(first, count: rows.count, dimension: d) else { return false }
                thresholds.withUnsafeMutableBufferPointer { thresholds in
                    let thresholds = thresholds.baseAddress!
                    func compare(_ index: Int, _ group: Int) {
                        best[index].insert(Int32(group), roost_dot(first + index * d, centers + group * d, d))
                        thresholds[index] = best[index].secondScore
                    }
                    // Start with the centroids of the previous iteration, which give tight thresholds.
                    for (index, row) in rows.enumerated() {
                        for group in [labels[row], seconds[row]] where group >= 0 && group < k {
                            compare(index, Int(group))
                        }
                    }
                    vectors.forEachPairReachingThreshold(centers, count: k, thresholds) { compare($0, $1) }
                }
                return true
            }
        }
        return isFinite ? best : nil
    }
}
