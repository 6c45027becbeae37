import RoostVectors

/// Spherical mini-batch k-means (Sculley 2010): each batch of points moves its nearest centroids. The more
/// points a centroid has received, the less a new one moves it.
enum KMeansMiniBatch {
    /// Moves centroids by the given number of batches of points, and returns them.
    ///
    /// - Parameters:
    ///   - start: The initial centroids.
    ///   - points: The points, unit length.
    ///   - size: The number of points of a batch.
    ///   - batches: The number of batches. Points are drawn in random order, without repetition until too few
    ///     are left for a batch.
    ///   - generator: The source of random numbers.
    /// - Returns: The centroids, unit length.
    /// - Throws: `CancellationError`.
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
                for index in 0..<n { order.swapAt(index, index + generator.nextIndex(below: n - index)) }
            }
            let rows = order.suffix(size).sorted()
            order.removeLast(rows.count)
            let batch = points.selecting(rows)
            let labels = KMeansRun.nearest(centroids, to: batch)
            var isChanged = [Bool](repeating: false, count: k)
            // A centroid is the mean direction of all points that it has received, so each new point moves it
            // in proportion to 1 / count.
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
                // Opposite points cancel out and leave no direction, so the centroid remains unchanged.
                guard direction.contains(where: { $0 != 0 }) else { continue }
                for column in 0..<d { centroids[group, column] = direction[column] }
            }
        }
        return centroids
    }
}
