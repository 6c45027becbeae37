public import RoostVectors

/// Groups vectors by density: the groups of a hierarchy that last longest while it is cut at higher and
/// higher densities (Campello, Moulavi & Sander 2013). What is in none of them is left out.
///
/// Distances are Euclidean between vectors of unit length, as the square root of two less twice the cosine.
/// The spanning tree is that of the graph of each vector's nearest others (``neighbors`` of them), its dense
/// parts joined where they come nearest; with all others for neighbours it is the algorithm of the paper.
public struct HDBSCAN: Clusterer {
    /// Which groups of the hierarchy are taken.
    public enum Selection: String, Sendable, CaseIterable {
        /// Those that are most stable together: the excess of mass.
        case excessOfMass
        /// The finest.
        case leaf
    }

    /// A group has at least so many vectors.
    public var minimumSize: Int
    /// The distance to so many nearest (the vector among them) says how sparse its surroundings are.
    public var minimumSamples: Int
    public var selection: Selection
    /// With how many nearest others each vector is joined.
    public var neighbors: Int
    public var seed: UInt64

    /// - Precondition: `minimumSize >= 2`, `minimumSamples >= 1`, `neighbors >= minimumSamples`.
    public init(
        minimumSize: Int = 10, minimumSamples: Int = 5, selection: Selection = .excessOfMass,
        neighbors: Int = 30, seed: UInt64 = 0
    ) {
        precondition(minimumSize >= 2 && minimumSamples >= 1 && neighbors >= minimumSamples)
        (self.minimumSize, self.minimumSamples) = (minimumSize, minimumSamples)
        (self.selection, self.neighbors, self.seed) = (selection, neighbors, seed)
    }

    public var algorithm: String { "hdbscan" }

    /// - Complexity: that of finding the neighbours, and O(n · neighbors · log n).
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "there are no vectors to group")
        }
        let points = vectors.selecting(distinct.rows)
        let nearest = try NearestNeighbors.find(in: points, k: min(neighbors, points.rows - 1), seed: seed)
        try Task.checkCancellation()
        // Copies count: many of one text are dense.
        let graph = MutualReachability(nearest, weights: distinct.copies, minimumSamples: minimumSamples)
        let tree = CondensedTree(
            graph.spanningTree(points), weights: distinct.copies, minimumSize: minimumSize)
        let chosen = selection == .leaf ? tree.leaves() : tree.mostStable()
        return partition(vectors, distinct, tree.labels(chosen), count: chosen.count)
    }

    private func partition(
        _ vectors: Matrix, _ distinct: DistinctRows, _ found: (groups: [Int?], strengths: [Float]), count: Int
    ) -> Partition {
        let groups = distinct.places.map { $0.flatMap { found.groups[$0] } }
        var centroids = Matrix(rows: count, columns: vectors.columns)
        for (row, group) in groups.enumerated() {
            guard let group else { continue }
            for column in 0..<vectors.columns { centroids[group, column] += vectors[row, column] }
        }
        centroids.normalizeRows()
        var labels = [Partition.Label](repeating: .outlier(.zeroVector), count: vectors.rows)
        var similarities = [Float](repeating: 0, count: vectors.rows)
        var confidences = [Float](repeating: 0, count: vectors.rows)
        let left = groups.indices.filter { groups[$0] == nil && distinct.places[$0] != nil }
        let nearest =
            count > 0 && !left.isEmpty ? KMeansRun.nearest(centroids, to: vectors.selecting(left)) : []
        let nearestOf = Dictionary(zip(left, nearest)) { first, _ in first }
        for (row, group) in groups.enumerated() {
            guard let point = distinct.places[row] else { continue }
            labels[row] = group.map { .group($0) } ?? .outlier(.sparse)
            if let place = group ?? nearestOf[row].map({ Int($0) }) {
                similarities[row] = vectors.withRow(row) { values in
                    centroids.withRow(place) { innerProduct($0, values) }
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
