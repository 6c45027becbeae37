import Roost

/// Groups vectors by spherical k-means, and each two of the groups in a larger one.
struct PairedClusters: Clusterer {
    let algorithm = "pairs"
    private let count: Int

    /// - Parameter count: The number of groups that have members, even.
    init(count: Int) { self.count = count }

    func cluster(_ vectors: Matrix) async throws -> Partition {
        let groups = try await SphericalKMeans(clusters: count, seed: 1).cluster(vectors).labels.map(\.group)
        let parents = (0..<count).map { count + $0 / 2 } + [Int?](repeating: nil, count: count / 2)
        return Partition(groups: groups, of: vectors, parents: parents)
    }
}
