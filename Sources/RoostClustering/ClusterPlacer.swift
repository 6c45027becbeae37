import Foundation
package import RoostModel
package import RoostVectors

/// Assigns entries that are added between runs to the nearest cluster, if it is near enough.
package struct ClusterPlacer: Sendable {
    package struct Match: Sendable, Hashable {
        package var cluster: Cluster.ID
        /// The cosine with the centroid of the cluster.
        package var similarity: Float
        /// 1 minus the ratio of the distances to the nearest and to the second nearest centroid, 0 to 1.
        package var confidence: Float
        /// Whether the vector reaches the assignment threshold of the cluster, or of the group of a topic.
        package var isNear: Bool
    }

    /// The tolerance in comparisons with the assignment threshold. It is far above the rounding error of Float32 sums
    /// over a few thousand dimensions and far below any relevant difference.
    private static let roundingTolerance: Float = 1e-5

    private let ids: [Cluster.ID]
    private let thresholds: [Float]
    private let centroids: Matrix
    /// The group of each topic.
    private let groups: [Cluster.ID: Cluster]

    /// Creates a placer for clusters.
    ///
    /// - Parameter clusters: All clusters. Parent clusters, and clusters without a centroid or a
    ///   `Cluster/assignmentThreshold`, get no entries.
    package init(_ clusters: [Cluster]) {
        let parents = Set(clusters.compactMap(\.parent))
        let dimension = clusters.lazy.map(\.centroid.count).max() ?? 0
        let usable = clusters.filter {
            !parents.contains($0.id) && $0.assignmentThreshold != nil && $0.centroid.count == dimension
                && dimension > 0
        }
        ids = usable.map(\.id)
        thresholds = usable.map { $0.assignmentThreshold ?? .infinity }
        let known = Dictionary(clusters.map { ($0.id, $0) }) { first, _ in first }
        let topics = usable.filter(\.isTopic).map { ($0.id, $0.parent.flatMap { known[$0] }) }
        groups = Dictionary(topics) { first, _ in first }.compactMapValues(\.self)
        centroids = Matrix(usable.map(\.centroid), columns: dimension)
    }

    package var isEmpty: Bool { ids.isEmpty }

    package var dimension: Int { centroids.columns }

    /// Returns the cluster that each vector joins: the nearest one; `nil` if that is not near enough. A vector
    /// that is near enough to a group, but to none of its topics, joins the nearest topic.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length.
    /// - Complexity: O(n · clusters · d).
    package func matches(for vectors: Matrix) -> [Match?] {
        nearest(to: vectors).map { $0.flatMap { $0.isNear ? $0 : nil } }
    }

    /// Returns the nearest cluster of each vector, whether it is near enough or not; `nil` if there are no
    /// clusters of the same dimension, or if the similarity is not finite.
    package func nearest(to vectors: Matrix) -> [Match?] {
        guard !isEmpty, vectors.rows > 0, vectors.columns == dimension else {
            return Array(repeating: nil, count: vectors.rows)
        }
        let (first, second) = KMeansRun.nearestTwo(centroids, to: vectors)
        return (0..<vectors.rows).map { row in
            vectors.withRow(row) { values in
                func similarity(_ cluster: Int32) -> Float {
                    centroids.withRow(Int(cluster)) { innerProduct($0, values) }
                }
                let nearest = similarity(first[row])
                guard nearest.isFinite else { return nil }
                let isNear = nearest >= thresholds[Int(first[row])] - Self.roundingTolerance
                let (near, far) = (max(0, 1 - nearest), second[row] < 0 ? 2 : 1 - similarity(second[row]))
                return Match(
                    cluster: ids[Int(first[row])], similarity: nearest,
                    confidence: far > 0 ? min(1, max(0, 1 - near / far)) : 0,
                    isNear: isNear || isInGroup(values, of: ids[Int(first[row])]))
            }
        }
    }

    private func isInGroup(_ vector: UnsafeBufferPointer<Float>, of topic: Cluster.ID) -> Bool {
        guard let group = groups[topic], group.centroid.count == vector.count,
            let threshold = group.assignmentThreshold
        else { return false }
        return group.centroid.withUnsafeBufferPointer { innerProduct($0, vector) }
            >= threshold - Self.roundingTolerance
    }
}
