import RoostVectors

/// How well groups of vectors are told from each other.
struct ClusterQuality {
    /// For each group the mean cosine of its rows, or of those of its parts, with its centroid.
    private(set) var cohesions: [Float]
    /// For each group one less the cosine of its centroid with the nearest other; `nil` where it is alone.
    private(set) var separations: [Float?]
    /// For each group the mean silhouette of its rows that were looked at.
    private(set) var silhouettes: [Float?]
    /// For each group the similarity that nineteen of twenty rows reach.
    private(set) var reaches: [Float?]
    /// The mean silhouette of all rows that were looked at.
    private(set) var silhouette: Double?

    /// Silhouettes of at most so many rows are computed, spread over all.
    static let sampleSize = 20_000
    private static let block = 256

    /// The silhouette of a row is (b - a) / max(a, b), where a is its mean distance to the others of its
    /// group and b the mean distance to the rows of the nearest other group (Rousseeuw 1987). Distances are
    /// one less the cosine, so that a mean distance follows from the sum of a group's vectors.
    ///
    /// - Complexity: O(n · d + sample · groups · d).
    init(_ partition: Partition, _ vectors: Matrix) {
        let (k, d) = (partition.count, vectors.columns)
        let groups = partition.labels.map(\.group)
        cohesions = []
        separations = Array(repeating: nil, count: k)
        silhouettes = Array(repeating: nil, count: k)
        reaches = Self.reaches(groups, partition.similarities, k)
        var sizes = [Int](repeating: 0, count: k)
        var sums = [Float](repeating: 0, count: k * d)
        for (row, group) in groups.enumerated() {
            guard let group else { continue }
            sizes[group] += 1
            vectors.withRow(row) { values in
                for column in 0..<d { sums[group * d + column] += values[column] }
            }
        }
        cohesions = Self.cohesions(partition, sums, sizes)
        // A group above others has no rows of its own.
        let inUse = sizes.indices.filter { sizes[$0] > 0 }
        guard inUse.count > 1 else { return }
        for (group, value) in zip(inUse, Self.separations(partition.centroids.selecting(inUse))) {
            separations[group] = value
        }
        let placed = groups.indices.filter { groups[$0] != nil }
        let step = max(1, (placed.count + Self.sampleSize - 1) / Self.sampleSize)
        let sample = stride(from: 0, to: placed.count, by: step).map { placed[$0] }
        let values = Self.silhouettes(
            of: vectors.selecting(sample), sample.map { groups[$0] ?? 0 },
            Matrix(rows: k, columns: d, elements: sums), sizes)
        var (totals, counts) = ([Double](repeating: 0, count: k), [Int](repeating: 0, count: k))
        for (row, value) in zip(sample, values) {
            guard let group = groups[row] else { continue }
            totals[group] += Double(value)
            counts[group] += 1
        }
        for group in 0..<k where counts[group] > 0 {
            silhouettes[group] = Float(totals[group] / Double(counts[group]))
        }
        silhouette = totals.reduce(0, +) / Double(max(1, sample.count))
    }

    private static func cohesions(_ partition: Partition, _ sums: [Float], _ sizes: [Int]) -> [Float] {
        let (k, d) = (partition.count, partition.centroids.columns)
        var (products, counts) = ([Double](repeating: 0, count: k), [Int](repeating: 0, count: k))
        for leaf in 0..<k where sizes[leaf] > 0 {
            for group in sequence(first: leaf, next: { partition.parents[$0] }) {
                counts[group] += sizes[leaf]
                for column in 0..<d {
                    products[group] +=
                        Double(sums[leaf * d + column]) * Double(partition.centroids[group, column])
                }
            }
        }
        return (0..<k).map { counts[$0] > 0 ? Float(products[$0] / Double(counts[$0])) : 0 }
    }

    private static func silhouettes(
        of rows: Matrix, _ groups: [Int], _ sums: Matrix, _ sizes: [Int]
    ) -> [Float] {
        let (k, d) = (sums.rows, sums.columns)
        var values = [Float](repeating: 0, count: rows.rows)
        values.withUnsafeMutableBufferPointer { values in
            guard let target = values.baseAddress else { return }
            let output = DisjointWrites(target)
            rows.elements.withUnsafeBufferPointer { rows in
                sums.elements.withUnsafeBufferPointer { sums in
                    let (points, totals) = (SharedReads(rows.baseAddress!), SharedReads(sums.baseAddress!))
                    Parallel.forEachBlock(of: groups.count, size: block) { part in
                        var products = [Float](repeating: 0, count: part.count * k)
                        products.withUnsafeMutableBufferPointer { products in
                            BLAS.gemm(
                                .init(points.pointer + part.lowerBound * d, stride: d),
                                .init(totals.pointer, stride: d, transposed: true),
                                into: products.baseAddress!, stride: k, m: part.count, n: k, k: d)
                        }
                        for row in part {
                            let line = (row - part.lowerBound) * k
                            output[row] = silhouette(products[line..<line + k], groups[row], sizes)
                        }
                    }
                }
            }
        }
        return values
    }

    /// - Parameter products: of a row with the sum of each group.
    private static func silhouette(_ products: ArraySlice<Float>, _ own: Int, _ sizes: [Int]) -> Float {
        // One that is alone in its group has none, by definition.
        guard sizes[own] > 1 else { return 0 }
        let first = products.startIndex
        let inside = max(0, (Float(sizes[own]) - products[first + own]) / Float(sizes[own] - 1))
        var outside = Float.infinity
        for group in sizes.indices where group != own && sizes[group] > 0 {
            outside = min(outside, max(0, 1 - products[first + group] / Float(sizes[group])))
        }
        let larger = max(inside, outside)
        return larger > 0 && larger.isFinite ? (outside - inside) / larger : 0
    }

    private static func separations(_ centroids: Matrix) -> [Float] {
        let (k, d) = (centroids.rows, centroids.columns)
        var nearest = [Float](repeating: -.infinity, count: k)
        centroids.elements.withUnsafeBufferPointer { elements in
            let base = SharedReads(elements.baseAddress!)
            nearest.withUnsafeMutableBufferPointer { nearest in
                let output = DisjointWrites(nearest.baseAddress!)
                Parallel.forEachBlock(of: k, size: block) { part in
                    var products = [Float](repeating: 0, count: part.count * k)
                    products.withUnsafeMutableBufferPointer { products in
                        BLAS.gemm(
                            .init(base.pointer + part.lowerBound * d, stride: d),
                            .init(base.pointer, stride: d, transposed: true),
                            into: products.baseAddress!, stride: k, m: part.count, n: k, k: d)
                    }
                    for row in part {
                        var best = -Float.infinity
                        for other in 0..<k where other != row {
                            best = max(best, products[(row - part.lowerBound) * k + other])
                        }
                        output[row] = best
                    }
                }
            }
        }
        return nearest.map { max(0, 1 - $0) }
    }

    private static func reaches(_ groups: [Int?], _ similarities: [Float], _ k: Int) -> [Float?] {
        var members = [[Float]](repeating: [], count: k)
        for (group, similarity) in zip(groups, similarities) {
            if let group { members[group].append(similarity) }
        }
        return members.map { values in
            // Two members say nothing of how far others may be.
            guard values.count > 2 else { return nil }
            return values.sorted()[values.count / 20]
        }
    }
}
