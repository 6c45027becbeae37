import RoostVectors

/// Mini-batch k-means (Sculley 2010), spherical: a few points at a time move the centroids that are nearest
/// to them, the less the more points a centroid has had.
enum KMeansMiniBatch {
    /// - Parameters:
    ///   - size: how many points a batch has.
    ///   - batches: how many batches there are. Points are taken in a drawn order, all of them once before
    ///     any comes again.
    /// - Returns: the centroids, of unit length.
    /// - Complexity: O(batches · size · k · d).
    static func refine(
        _ start: Matrix, of points: Matrix, size: Int, batches: Int, using generator: inout SeededGenerator
    ) throws -> Matrix {
        let (n, d, k) = (points.rows, points.columns, start.rows)
        var (centroids, sums) = (start, Matrix(rows: k, columns: d))
        var order: [Int] = []
        for _ in 0..<batches {
            try Task.checkCancellation()
            if order.count < min(size, n) {
                order = Array(0..<n)
                for place in 0..<n { order.swapAt(place, place + generator.nextIndex(below: n - place)) }
            }
            let rows = order.suffix(size).sorted()
            order.removeLast(rows.count)
            let batch = points.selecting(rows)
            let labels = KMeansRun.nearest(centroids, to: batch)
            var isChanged = [Bool](repeating: false, count: k)
            // The direction of all that a centroid has had: each new one moves it by its share.
            sums.withUnsafeMutableElements { sums in
                for (row, label) in labels.enumerated() {
                    isChanged[Int(label)] = true
                    batch.withRow(row) { values in
                        for column in 0..<d { sums[Int(label) * d + column] += values[column] }
                    }
                }
            }
            for group in 0..<k where isChanged[group] {
                let direction = normalized(sums.row(group))
                // Points that cancel out leave none: the centroid stays where it was.
                guard direction.contains(where: { $0 != 0 }) else { continue }
                for column in 0..<d { centroids[group, column] = direction[column] }
            }
        }
        return centroids
    }
}
