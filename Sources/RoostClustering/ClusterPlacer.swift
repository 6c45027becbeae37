public import Foundation
public import RoostModel
public import RoostVectors

/// Puts entries that come between runs into the nearest cluster, if it is near enough.
public struct ClusterPlacer: Sendable {
    /// Where an entry belongs.
    public struct Place: Sendable, Hashable {
        public var cluster: Cluster.ID
        /// The cosine with the cluster's centroid.
        public var similarity: Float
        /// How much nearer it is than the next cluster: one less the ratio of their distances, 0 to 1.
        public var confidence: Float
    }

    /// The same vector gives another cosine where it is summed up in another order: one that is as near as
    /// the members is not to be left out for that.
    private static let rounding: Float = 1e-5

    private let ids: [Cluster.ID]
    private let reaches: [Float]
    private let centroids: Matrix

    /// - Parameter clusters: those without a centroid or ``Cluster/reach`` take nobody in, as do those above
    ///   others.
    public init(_ clusters: [Cluster]) {
        let above = Set(clusters.compactMap(\.parent))
        let dimension = clusters.lazy.map(\.centroid.count).max() ?? 0
        let usable = clusters.filter {
            !above.contains($0.id) && $0.reach != nil && $0.centroid.count == dimension && dimension > 0
        }
        ids = usable.map(\.id)
        reaches = usable.map { $0.reach ?? .infinity }
        centroids = Matrix(usable.map(\.centroid), columns: dimension)
    }

    /// Whether there is a cluster to place entries in.
    public var isEmpty: Bool { ids.isEmpty }

    public var dimension: Int { centroids.columns }

    /// The cluster of each vector; `nil` where the nearest is farther than nineteen of twenty of its members.
    ///
    /// - Parameter vectors: (n, d), unit length.
    /// - Complexity: O(n · clusters · d).
    public func places(of vectors: Matrix) -> [Place?] {
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
                guard nearest.isFinite, nearest >= reaches[Int(first[row])] - Self.rounding else {
                    return nil
                }
                let (near, far) = (max(0, 1 - nearest), second[row] < 0 ? 2 : 1 - similarity(second[row]))
                return Place(
                    cluster: ids[Int(first[row])], similarity: nearest,
                    confidence: far > 0 ? min(1, max(0, 1 - near / far)) : 0)
            }
        }
    }
}
