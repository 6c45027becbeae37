import RoostVectors

/// Where k-means begins with many groups: k-means|| (Bahmani, Moseley, Vattani, Kumar & Vassilvitskii 2012).
///
/// In a few rounds many points at a time are drawn, each with a probability proportional to its squared
/// distance from those drawn before, and every point counts for the drawn one that is nearest; of these
/// weighted ones k are chosen as by k-means++.
enum KMeansParallelSeeding {
    private static let rounds = 5
    /// Of k, how many are drawn in a round; the paper finds half of k, in five rounds, as good as k-means++.
    private static let share = 0.5

    /// - Returns: the rows of k points; different ones, where so many different ones were seen.
    /// - Complexity: O(rounds · n · k · d) at most, far points being ruled out in bytes.
    static func choose(_ k: Int, of points: Matrix, using generator: inout SeededGenerator) throws -> [Int] {
        let n = points.rows
        guard k < n else { return Array(0..<n) }
        var drawn = [generator.nextIndex(below: n)]
        var isDrawn = [Bool](repeating: false, count: n)
        isDrawn[drawn[0]] = true
        var nearest = Nearest(points)
        nearest.add(drawn[...])
        var round = 0
        // Half of k a round are more than k after three; a round may find fewer.
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
        // Where nearly all points are the same, any will do for the rest.
        while drawn.count < k {
            let row = generator.nextIndex(below: n)
            guard !isDrawn[row] else { continue }
            isDrawn[row] = true
            drawn.append(row)
        }
        return try reduce(points.selecting(drawn), nearest.weights(drawn.count), to: k, using: &generator)
            .map { drawn[$0] }
    }

    /// How far every point is from the drawn one that is nearest.
    private struct Nearest {
        private let points: Matrix
        /// Squared: of unit vectors 2 - 2 cos.
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

        /// How many points each drawn one stands for.
        func weights(_ count: Int) -> [Double] {
            var weights = [Double](repeating: 0, count: count)
            for owner in owners { weights[Int(owner)] += 1 }
            return weights
        }
    }

    /// k of weighted points by k-means++.
    private static func reduce(
        _ points: Matrix, _ weights: [Double], to k: Int, using generator: inout SeededGenerator
    ) throws -> [Int] {
        func draw(_ masses: [Double]) -> Int? {
            let total = masses.reduce(0, +)
            guard total > 0 else { return nil }
            let target = generator.nextUnit() * total
            var sum = 0.0
            for (place, mass) in masses.enumerated() {
                sum += mass
                if sum > target { return place }
            }
            return masses.lastIndex { $0 > 0 }
        }
        var chosen: [Int] = []
        var distances = [Float](repeating: 2, count: points.rows)
        var products = [Float](repeating: 0, count: points.rows)
        while chosen.count < k {
            try Task.checkCancellation()
            var masses = zip(weights, distances).map { $0 * Double($1) }
            for place in chosen { masses[place] = 0 }
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
            for place in distances.indices {
                distances[place] = min(distances[place], max(0, 2 - 2 * products[place]))
            }
        }
        return chosen
    }
}
