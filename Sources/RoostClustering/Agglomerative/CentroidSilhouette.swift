import RoostVectors

/// The silhouette (Rousseeuw 1987) of weighted unit vectors with cosine distances.
enum CentroidSilhouette {
    /// Returns the mean silhouette of points that are divided into parts.
    ///
    /// The mean distance of a point to a part is computed from the weighted sum of the part's vectors. The
    /// silhouette of a point that is alone in its part is 0 by definition.
    ///
    /// - Parameters:
    ///   - cut: The part of each point, from 0.
    ///   - parts: The number of parts.
    ///   - points: The points, (k, d), unit length.
    ///   - weights: The weight of each point, above 0.
    /// - Complexity: O(points · parts · d).
    static func mean(of cut: [Int], parts: Int, _ points: Matrix, weights: [Int]) -> Double {
        var sums = Matrix(rows: parts, columns: points.columns)
        var totals = [Double](repeating: 0, count: parts)
        var counts = [Int](repeating: 0, count: parts)
        for (point, part) in cut.enumerated() {
            let weight = Float(weights[point])
            for column in 0..<points.columns { sums[part, column] += weight * points[point, column] }
            totals[part] += Double(weights[point])
            counts[part] += 1
        }
        var (sum, total) = (0.0, 0.0)
        for (point, own) in cut.enumerated() {
            let weight = Double(weights[point])
            total += weight
            guard counts[own] > 1 else { continue }
            let products = points.withRow(point) { row in
                (0..<parts).map { part in
                    Double(sums.withRow(part) { innerProduct($0, row) })
                }
            }
            let inside = max(0, 1 - (products[own] - weight) / (totals[own] - weight))
            let outside =
                (0..<parts).lazy.filter { $0 != own && counts[$0] > 0 }
                .map { max(0, 1 - products[$0] / totals[$0]) }.min() ?? inside
            let larger = max(inside, outside)
            if larger > 0 { sum += weight * (outside - inside) / larger }
        }
        return total > 0 ? sum / total : 0
    }
}
