public import RoostVectors

/// Hierarchical density-based clustering (HDBSCAN; Campello, Moulavi & Sander 2013): the groups of a
/// hierarchy that persist longest as the density threshold rises. Vectors in none of these groups are
/// outliers.
///
/// The distance is the Euclidean distance of unit vectors: the square root of 2 minus twice the cosine. The
/// spanning tree is that of the graph of each vector's nearest neighbors, whose connected components are
/// joined at their nearest points. If every vector is a neighbor of every other, this is the algorithm of the
/// paper.
public struct HDBSCAN: Clusterer {
    /// The method that selects groups from the hierarchy.
    public enum Selection: String, Sendable, CaseIterable {
        /// Selects the groups with the highest total stability ("excess of mass").
        case excessOfMass
        /// Selects the groups without children: the finest ones.
        case leaf
    }

    /// The minimum number of vectors of a group, at least 2.
    public var minimumSize: Int
    /// The core distance of a vector is the distance to its nearest neighbor of this rank, the vector itself
    /// counting as the first; from 1 to ``neighbors``. A larger number makes more vectors outliers.
    public var minimumSamples: Int
    /// The method that selects groups from the hierarchy.
    public var selection: Selection
    /// The number of nearest neighbors of each vector in the graph.
    public var neighbors: Int
    /// The seed of the search for nearest neighbors among many vectors.
    public var seed: UInt64

    /// Creates a clusterer.
    ///
    /// - Parameters:
    ///   - minimumSize: The minimum number of vectors of a group.
    ///   - minimumSamples: The rank of the neighbor that defines the core distance.
    ///   - selection: The method that selects groups from the hierarchy.
    ///   - neighbors: The number of nearest neighbors of each vector in the graph.
    ///   - seed: The seed of the search for nearest neighbors.
    public init(
        minimumSize: Int = 10, minimumSamples: Int = 5, selection: Selection = .excessOfMass,
        neighbors: Int = 30, seed: UInt64 = 0
    ) {
        (self.minimumSize, self.minimumSamples) = (minimumSize, minimumSamples)
        (self.selection, self.neighbors, self.seed) = (selection, neighbors, seed)
    }

    /// The name that is recorded with a run: `hdbscan`.
    public var algorithm: String { "hdbscan" }

    /// Groups the rows of a matrix.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length.
    /// - Throws: `ClusteringError` `.noVectors`, `.notFinite`, `.invalidParameter`; `CancellationError`.
    /// - Complexity: That of the search for neighbors, plus O(n · neighbors · log n).
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        try ClusteringError.require(minimumSize >= 2, "minimumSize must be at least 2, not \(minimumSize)")
        try ClusteringError.require(
            minimumSamples >= 1 && neighbors >= minimumSamples,
            "minimumSamples must be from 1 to the number of neighbors (\(neighbors)), not \(minimumSamples)")
        try ClusteringError.requireFinite(vectors)
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no nonzero vectors")
        }
        let points = vectors.selecting(distinct.rows)
        let nearest = try NearestNeighbors.find(in: points, k: min(neighbors, points.rows - 1), seed: seed)
        try Task.checkCancellation()
        // Copies count as samples: many copies of one text are a dense region.
        let graph = MutualReachability(nearest, weights: distinct.copies, minimumSamples: minimumSamples)
        let tree = CondensedTree(
            graph.spanningTree(points), weights: distinct.copies, minimumSize: minimumSize)
        let chosen = selection == .leaf ? tree.leaves() : tree.mostStable()
        return partition(vectors, distinct, tree.labels(chosen), count: chosen.count)
    }

    private func partition(
        _ vectors: Matrix, _ distinct: DistinctRows, _ found: (groups: [Int?], strengths: [Float]), count: Int
    ) -> Partition {
        let groups = distinct.indices.map { $0.flatMap { found.groups[$0] } }
        var centroids = Matrix(rows: count, columns: vectors.columns)
        for (row, group) in groups.enumerated() {
            guard let group else { continue }
            for column in 0..<vectors.columns { centroids[group, column] += vectors[row, column] }
        }
        centroids.normalizeRows()
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: vectors.rows)
        var similarities = [Float](repeating: 0, count: vectors.rows)
        var confidences = [Float](repeating: 0, count: vectors.rows)
        let outliers = groups.indices.filter { groups[$0] == nil && distinct.indices[$0] != nil }
        let nearest =
            count > 0 && !outliers.isEmpty
            ? KMeansRun.nearest(centroids, to: vectors.selecting(outliers)) : []
        let nearestOf = Dictionary(zip(outliers, nearest)) { first, _ in first }
        for (row, group) in groups.enumerated() {
            guard let point = distinct.indices[row] else { continue }
            labels[row] = group.map { .group($0) } ?? .outlier(.sparse)
            if let centroid = group ?? nearestOf[row].map({ Int($0) }) {
                similarities[row] = vectors.withRow(row) { values in
                    centroids.withRow(centroid) { innerProduct($0, values) }
                }
            }
            confidences[row] = found.strengths[point]
        }
        return Partition(
            labels: labels, centroids: centroids, similarities: similarities, confidences: confidences,
            facts: [
                "minimumSize": Double(minimumSize), "minimumSamples": Double(minimumSamples),
                "neighbors": Double(neighbors),
            ])
    }
}
