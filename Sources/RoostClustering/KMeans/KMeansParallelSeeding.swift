import RoostVectors

/// Seeds k-means with many groups by k-means|| (Bahmani, Moseley, Vattani, Kumar & Vassilvitskii 2012).
///
/// Each round draws many points, each with a probability proportional to its squared distance from the
/// nearest point drawn so far. A drawn point is weighted by the number of points nearest to it, and k of the
/// drawn points are chosen by weighted k-means++.
enum KMeansParallelSeeding {
    /// The number of rounds; the paper finds five sufficient.
    private static let rounds = 5
    /// The expected number of points drawn in a round, as a share of k. The paper finds k / 2 in five rounds
    /// as good as k-means++.
    private static let share = 0.5

    /// Chooses the initial centroids.
    ///
    /// - Returns: The rows of k points, which are distinct if enough distinct points were seen.
    /// - Throws: `CancellationError`.
    /// - Complexity: At most O(rounds · n · k · d); quantized products rule out most pairs.
    static func choose(_ k: Int, of points: Matrix, using generator: inout SeededGenerator) throws -> [Int] {
        let n = points.rows
        guard k < n else { return Array(0..<n) }
        var drawn = [generator.nextIndex(below: n)]
        var isDrawn = [Bool](repeating: false, count: n)
        isDrawn[drawn[0]] = true
        var nearest = Nearest(points)
        nearest.add(drawn[...])
        var round = 0
        // On average, three rounds draw more than k points. Because a round can draw fewer than expected,
        // additional rounds are allowed.
        while round < rounds || (drawn.count < k && round < 4 * rounds) {
            try Task.checkCancellation()
            round += 1
            let total = nearest.distances.reduce(0.0) { $0 + Double($1) }
            guard total > 0 else { break }
            let factor = max(1, share * Double(k)) / total
            let first = drawn.count
            for row in 0..<n where generator.nextUnit() < factor * Double(nearest.distances[row]) {
                guard !isDrawn[row] else { continue }
                isDrawn[row] = true
                drawn.append(row)
            }
            nearest.add(drawn[first...])
        }
        // If there are fewer than k distinct points, fill up with any points.
        while drawn.count < k {
            let row = generator.nextIndex(below: n)
            guard !isDrawn[row] else { continue }
            isDrawn[row] = true
            drawn.append(row)
        }
        return try reduce(points.selecting(drawn), nearest.weights(drawn.count), to: k, using: &generator)
            .map { drawn[$0] }
    }

    /// The distance of every point from the nearest drawn point.
    private struct Nearest {
        private let points: Matrix
        /// The squared distances: 2 - 2 cos for unit vectors.
        private(set) var distances: [Float]
        private var owners: [Int32]
        private var count = 0

        init(_ points: Matrix) {
            self.points = points
            distances = Array(repeating: .infinity, count: points.rows)
            owners = Array(repeating: 0, count: points.rows)
        }

        mutating func add(_ rows: ArraySlice<Int>) {
            guard !rows.isEmpty else { return }
            let n = points.rows
            var (labels, seconds) = ([Int32](repeating: -1, count: n), [Int32](repeating: -1, count: n))
            var (similarities, others) = ([Float](repeating: 0, count: n), [Float](repeating: 0, count: n))
            KMeansAssignment(points, points.selecting(Array(rows)))
                .run(&labels, &seconds, &similarities, &others)
            for row in 0..<n {
                let distance = max(0, 2 - 2 * similarities[row])
                guard distance < distances[row] else { continue }
                distances[row] = distance
                owners[row] = Int32(count) + labels[row]
            }
            count += rows.count
        }

        /// Returns the number of points that are nearest to each drawn point.
        func weights(_ count: Int) -> [Double] {
            var weights = [Double](repeating: 0, count: count)
            for owner in owners { weights[Int(owner)] += 1 }
            return weights
        }
    }

    /// Chooses k of the weighted points by k-means++.
    private static func reduce(
        _ points: Matrix, _ weights: [Double], to k: Int, using generator: inout SeededGenerator
    ) throws -> [Int] {
        func draw(_ masses: [Double]) -> Int? {
            let total = masses.reduce(0, +)
            guard total > 0 else { return nil }
            let target = generator.nextUnit() * total
            var sum = 0.0
            for (index, mass) in masses.enumerated() {
                sum += mass
                if sum > target { return index }
            }
            return masses.lastIndex { $0 > 0 }
        }
        var chosen: [Int] = []
        var distances = [Float](repeating: 2, count: points.rows)
        var products = [Float](repeating: 0, count: points.rows)
        while chosen.count < k {
            try Task.checkCancellation()
            var masses = zip(weights, distances).map { $0 * Double($1) }
            for index in chosen { masses[index] = 0 }
            var next = draw(masses)
            if next == nil {
                let isChosen = Set(chosen)
                next = points.rows > chosen.count ? (0..<points.rows).first { !isChosen.contains($0) } : nil
            }
            guard let next else { break }
            chosen.append(next)
            points.elements.withUnsafeBufferPointer { elements in
                products.withUnsafeMutableBufferPointer { products in
                    guard let base = elements.baseAddress, let output = products.baseAddress else { return }
                    BLAS.gemv(
                        base, rows: points.rows, columns: points.columns, base + next * points.columns,
                        into: output)
                }
            }
            for index in distances.indices {
                distances[index] = min(distances[index], max(0, 2 - 2 * products[index]))
            }
        }
        return chosen
    }
}
